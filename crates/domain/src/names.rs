//! Enums whose values have stored names.

/// Declares an enum with a name beside each value: `as_str` returns the name, `parse` reads it, and serde writes and
/// reads it. `ALL` has the values in the order of the declaration. Names are stored and on the wire: they never change.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $enum:ident {
        $($(#[$of_value:meta])* $value:ident $(= $code:literal)? => $name:literal,)+
    }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        $(#[$meta])*
        $vis enum $enum {
            $($(#[$of_value])* #[serde(rename = $name)] $value $(= $code)?,)+
        }

        #[allow(dead_code, reason = "not every enum is listed and parsed")]
        impl $enum {
            /// Every value.
            $vis const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// Name of the value.
            #[must_use]
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }

            /// The value with this name.
            #[must_use]
            $vis fn parse(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.as_str() == name)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use crate::node::NodeKind;
    use crate::posting::Rail;
    use crate::process::Process;
    use crate::subscription::{Scope, StopReason};
    use crate::transaction::{ContestCode, DishonorCode};
    use crate::user::Permission;
    use crate::{node, operation, subnet, transaction};

    fn names<T: Serialize>(all: impl IntoIterator<Item = T>) -> String {
        let name = |value| serde_json::to_value(value).expect("JSON").as_str().expect("a text").to_owned();
        all.into_iter().map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn stored_names_never_change() {
        let table = [
            (names(node::Allowed::ALL), "CREDIT CREDIT-AND-DEBIT LOCKED INACTIVE"),
            (
                names(NodeKind::ALL),
                "ACH-US WIRE-US WIRE-INT CHECK-US DEPOSIT-US SUBACCOUNT-US RESERVE-US CLEARING-US LEDGER-US \
                 PARTNER-SUBACCOUNT-US",
            ),
            (names(operation::Status::ALL), "WAITING DONE DECLINED"),
            (names(Permission::ALL), "SEND-AND-RECEIVE RECEIVE UNVERIFIED LOCKED CLOSED MAKE-IT-GO-AWAY"),
            (
                names(Process::ALL),
                "verification settlement submission delivery statement release booking retention matching",
            ),
            (names(Rail::ALL), "ach wire check"),
            (
                names(Scope::ALL),
                "USERS|POST USER|PATCH NODES|POST NODE|PATCH NODE|DELETE TRANS|POST TRAN|PATCH TRAN|DELETE \
                 SUBNETS|POST SUBNET|PATCH USER|GET NODES|GET NODE|GET TRANS|GET TRAN|GET SUBNETS|GET SUBNET|GET",
            ),
            (names(DishonorCode::ALL), "R61 R62 R67 R68 R69 R70"),
            (names(ContestCode::ALL), "R71 R72 R73 R74 R75 R76 R77"),
            (names(StopReason::ALL), "gone silent"),
            (names(subnet::AccountClass::ALL), "CHECKING SAVINGS"),
            (names(subnet::Allowed::ALL), "CREDIT-AND-DEBIT CREDIT DEBIT INACTIVE LOCKED"),
            (
                names(transaction::Status::ALL),
                "QUEUED-BY-LEDGER CREATED PROCESSING-DEBIT PROCESSING-CREDIT SETTLED CANCELED RETURNED",
            ),
        ];
        for (written, expected) in table {
            assert_eq!(written, expected);
        }
    }

    #[test]
    fn names_parse_exactly_as_written() {
        for rail in Rail::ALL {
            assert_eq!(Rail::parse(rail.as_str()), Some(rail));
            assert_eq!(serde_json::to_value(rail).expect("JSON"), rail.as_str());
        }
        for name in ["", "ACH", "ach ", "Ach"] {
            assert_eq!(Rail::parse(name), None, "{name:?}");
        }
    }
}

//! Record of a subnet. It shows the whole account number, because others need it to pay.

use daybook_domain::{SubnetId, subnet};
use daybook_engine::SubnetDetails;
use serde::Serialize;
use utoipa::ToSchema;

use crate::description::values::{SubnetAllowed, SubnetClass};
use crate::wire::Listed;
use crate::wire::record::{Client, Links};

/// Data that the record of a subnet is rendered from.
#[derive(Clone, Copy)]
pub struct SubnetView<'a> {
    /// Id of the subnet.
    pub id: SubnetId,
    /// State of the subnet.
    pub subnet: &'a subnet::Subnet,
    /// Opened details; the default if they could not be opened.
    pub details: &'a SubnetDetails,
    /// Account number of the subnet.
    pub account_num: &'a str,
    /// Routing number of the bank that issued the account number.
    pub routing_num: &'static str,
    /// Platform of the subnet.
    pub client: &'a Client,
    /// Base URL of the API.
    pub base_url: &'a str,
}

/// A subnet: an account number of a node, to which others can pay.
#[derive(Clone, Serialize, ToSchema)]
pub struct Subnet {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_links")]
    links: Links,
    #[schema(value_type = SubnetClass)]
    account_class: &'static str,
    account_num: String,
    #[schema(value_type = SubnetAllowed)]
    allowed: &'static str,
    client: Client,
    nickname: String,
    node_id: String,
    routing_num: RoutingNum,
    user_id: String,
}

impl Listed for Subnet {
    const KEYS: (&'static str, &'static str) = ("subnets", "subnets_count");
}

/// Routing number per rail; a bank may use the same number for both.
#[derive(Clone, Serialize, ToSchema)]
struct RoutingNum {
    ach: &'static str,
    wire: &'static str,
}

/// Renders the record.
#[must_use]
pub fn render(view: &SubnetView<'_>) -> Subnet {
    let SubnetView { id, subnet, routing_num, .. } = *view;
    let path = format_args!("users/{}/nodes/{}/subnets/{id}", subnet.user, subnet.node);
    Subnet {
        id: id.to_string(),
        links: Links::to(view.base_url, path),
        account_class: subnet.class.as_str(),
        account_num: view.account_num.to_owned(),
        allowed: subnet.allowed.as_str(),
        client: view.client.clone(),
        nickname: view.details.nickname.clone(),
        node_id: subnet.node.to_string(),
        routing_num: RoutingNum { ach: routing_num, wire: routing_num },
        user_id: subnet.user.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::subnet::{AccountClass, Allowed};
    use daybook_domain::{NodeId, PlatformId, Timestamp, UserId};

    use super::*;
    use crate::envelope::Record;

    #[test]
    fn a_record_has_every_field() {
        let subnet = subnet::Subnet {
            platform: PlatformId::from_u128(9),
            user: UserId::from_u128(1),
            node: NodeId::from_u128(2),
            class: AccountClass::Savings,
            allowed: Allowed::Credit,
            details: None,
            created_at: Timestamp::from_ms(5),
        };
        let record = render(&SubnetView {
            id: SubnetId::from_u128(3),
            subnet: &subnet,
            details: &SubnetDetails { nickname: "Rent".into() },
            account_num: "12345678901234",
            routing_num: "123456780",
            client: &Client { id: "client_id_x".into(), name: "X".into() },
            base_url: "http://h",
        });
        let [user, node, id] = [1, 2, 3].map(|number| format!("{number:026}"));
        let expected = format!(
            concat!(
                r#"{{"_id":"{id}","_links":{{"self":{{"href":"http://h/v3.1/users/{user}/nodes/{node}/subnets/{id}"}}}},"#,
                r#""account_class":"SAVINGS","account_num":"12345678901234","allowed":"CREDIT","#,
                r#""client":{{"id":"client_id_x","name":"X"}},"nickname":"Rent","node_id":"{node}","#,
                r#""routing_num":{{"ach":"123456780","wire":"123456780"}},"user_id":"{user}","#,
                r#""error_code":"0","http_code":"200"}}"#
            ),
            id = id,
            user = user,
            node = node,
        );
        assert_eq!(serde_json::to_string(&Record(record)).unwrap(), expected);
    }
}

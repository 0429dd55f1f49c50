//! Bank login of the sandbox (`docs/reference/api.md`, Bank logins).

use async_trait::async_trait;
use daybook_domain::{Currency, Money};

use super::{
    BankLink, BankLinkError, Challenge, ChallengeKind, Credentials, Holder, Institution, LinkedAccount,
    Reply, Session,
};
use crate::rails::AccountClass;
use crate::secret::Secret;

/// Code of the only bank.
const BANK: &str = "fake";
/// Name of the bank.
const NAME: &str = "Fake Bank";
/// Password of all customers.
const PASSWORD: &str = "test1234";
/// Correct answer to the question.
const ANSWER: &str = "test_answer";
/// Code that the bank always sends.
const CODE: &str = "123456";
/// Session bytes: one session waits for the answer, the other for the code.
const QUESTION: &[u8] = b"question";
const TEXTED: &[u8] = b"code";
/// Balance of each account.
const BALANCE: Money = Money::new(80_000, Currency::USD);

/// A bank with a fixed set of customers, each with a fixed behavior.
pub struct SandboxBankLink;

#[async_trait]
impl BankLink for SandboxBankLink {
    async fn institutions(&self) -> Result<Vec<Institution>, BankLinkError> {
        Ok(vec![Institution {
            code: BANK.into(),
            name: NAME.into(),
            features: vec!["BANK_LOGIN".into()],
            forgotten_password: String::new(),
            is_active: true,
            logo: String::new(),
            history_months: 0,
        }])
    }

    async fn log_in(&self, credentials: &Credentials) -> Result<Reply, BankLinkError> {
        if credentials.bank_name != BANK || credentials.bank_pw.expose() != PASSWORD {
            return Err(BankLinkError::Refused);
        }
        match credentials.bank_id.expose() {
            "synapse_good" | "test_good" => Ok(Reply::Asks(ask(ChallengeKind::Question))),
            "synapse_code_mfa" => Ok(Reply::Asks(ask(ChallengeKind::Code))),
            // The customer without a challenge also has less data.
            "synapse_nomfa" => Ok(Reply::Shows(accounts(&Holder { email: None, phone: None, ..holder() }))),
            "synapse_no_accounts" => Err(BankLinkError::NoAccounts),
            _ => Err(BankLinkError::Refused),
        }
    }

    async fn answer(&self, session: &Session, answer: &Secret) -> Result<Reply, BankLinkError> {
        let kind = waiting(session).ok_or(BankLinkError::Over)?;
        let right = match kind {
            ChallengeKind::Question => ANSWER,
            ChallengeKind::Code => CODE,
        };
        let is_right = answer.expose() == right;
        Ok(if is_right { Reply::Shows(accounts(&holder())) } else { Reply::Asks(ask(kind)) })
    }
}

/// Returns the challenge of this kind. The bank keeps no state: the session names the expected answer.
fn ask(kind: ChallengeKind) -> Challenge {
    let (session, message) = match kind {
        ChallengeKind::Question => (QUESTION, "What is your favorite color?"),
        ChallengeKind::Code => (TEXTED, "Enter the code that we sent to your phone."),
    };
    Challenge { session: Session(session.to_vec()), kind, message: message.to_owned() }
}

fn waiting(session: &Session) -> Option<ChallengeKind> {
    match session.as_bytes() {
        QUESTION => Some(ChallengeKind::Question),
        TEXTED => Some(ChallengeKind::Code),
        _ => None,
    }
}

fn holder() -> Holder {
    Holder {
        name: Some("Test User".into()),
        email: Some("test.user@example.com".into()),
        phone: Some("901.111.1111".into()),
    }
}

fn accounts(holder: &Holder) -> Vec<LinkedAccount> {
    let account = |nickname: &str, account_num: &str, class| LinkedAccount {
        nickname: nickname.into(),
        account_num: account_num.into(),
        // The number has a valid checksum, but no bank owns it.
        routing_num: "123456780".into(),
        class,
        is_business: false,
        bank_name: NAME.into(),
        bank_long_name: "Fake Bank of the Sandbox".into(),
        address: "1 Sandbox Way, San Francisco, CA 94105, US".into(),
        balance: BALANCE,
        holder: holder.clone(),
    };
    vec![
        account("Fake Bank Checking - 5001", "8000005001", AccountClass::Checking),
        account("Fake Bank Savings - 5002", "8000005002", AccountClass::Savings),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::new(text.to_owned())
    }

    async fn log_in(bank_name: &str, bank_id: &str, bank_pw: &str) -> Result<Reply, BankLinkError> {
        let (bank_id, bank_pw) = (secret(bank_id), secret(bank_pw));
        SandboxBankLink.log_in(&Credentials { bank_name: bank_name.into(), bank_id, bank_pw }).await
    }

    async fn challenge(bank_id: &str) -> Challenge {
        match log_in(BANK, bank_id, PASSWORD).await {
            Ok(Reply::Asks(challenge)) => challenge,
            _ => panic!("{bank_id} is asked nothing"),
        }
    }

    async fn answer(session: &Session, text: &str) -> Result<Reply, BankLinkError> {
        SandboxBankLink.answer(session, &secret(text)).await
    }

    #[tokio::test]
    async fn only_known_customers_can_log_in() {
        let strangers = [
            ("bofa", "synapse_good", PASSWORD),
            ("FAKE", "synapse_good", PASSWORD),
            (BANK, "synapse_good", "test12345"),
            (BANK, "synapse_good", "Test1234"),
            (BANK, "synapse_nomfa", ""),
            (BANK, "synapse_no_accounts", "wrong"),
            (BANK, "synapse", PASSWORD),
        ];
        for (bank, id, password) in strangers {
            let refused = log_in(bank, id, password).await;
            assert!(matches!(refused, Err(BankLinkError::Refused)), "{bank} {id} {password}");
        }
    }

    #[tokio::test]
    async fn customers_have_fixed_behaviors() {
        for id in ["synapse_good", "test_good"] {
            assert_eq!(challenge(id).await.kind, ChallengeKind::Question, "{id}");
        }
        assert_eq!(challenge("synapse_code_mfa").await.kind, ChallengeKind::Code);
        let none = log_in(BANK, "synapse_no_accounts", PASSWORD).await;
        assert!(matches!(none, Err(BankLinkError::NoAccounts)));
        let shown = log_in(BANK, "synapse_nomfa", PASSWORD).await;
        assert!(matches!(shown, Ok(Reply::Shows(accounts)) if accounts.len() == 2));
    }

    #[tokio::test]
    async fn challenge_repeats_until_answer_is_right() {
        for (id, right, wrong) in
            [("synapse_good", ANSWER, ["again", CODE]), ("synapse_code_mfa", CODE, ["again", ANSWER])]
        {
            let session = challenge(id).await.session;
            for wrong in wrong {
                let asked = answer(&session, wrong).await;
                assert!(matches!(asked, Ok(Reply::Asks(again)) if again.session == session), "{id} {wrong}");
            }
            let shown = answer(&session, right).await;
            let Ok(Reply::Shows(accounts)) = shown else { panic!("{id} is shown nothing") };
            let classes: Vec<_> = accounts.iter().map(|account| account.class).collect();
            assert_eq!(classes, [AccountClass::Checking, AccountClass::Savings]);
            assert!(accounts.iter().all(|account| account.balance == BALANCE));
        }
    }

    #[tokio::test]
    async fn session_of_another_bank_is_over() {
        let session = Session::new(b"another".to_vec()).expect("a short one");
        assert!(matches!(answer(&session, ANSWER).await, Err(BankLinkError::Over)));
    }
}

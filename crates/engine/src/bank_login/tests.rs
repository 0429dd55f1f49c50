use super::testing::{ADA, Script, asks, vault};
use super::*;
use crate::rails::bank_link::SandboxBankLink;

const FIRST: NodeId = NodeId::from_u128(0xf0);
const NOON: Timestamp = Timestamp::from_ms(1_772_366_400_000);

fn secret(text: &str) -> Secret {
    Secret::new(text.to_owned())
}

fn credentials() -> Credentials {
    let (bank_id, bank_pw) = (secret("synapse_good"), secret("test1234"));
    Credentials { bank_name: "fake".to_owned(), bank_id, bank_pw }
}

fn login<'a>(link: &'a dyn BankLink, vault: &'a Vault, now: Timestamp) -> BankLogin<'a> {
    BankLogin { link, vault, entropy: Entropy, customer: ADA, now }
}

#[track_caller]
fn token(progress: Result<Progress, BankLoginError>) -> String {
    match progress {
        Ok(Progress::Challenged(asked)) => asked.access_token,
        _ => panic!("nothing is asked"),
    }
}

#[tokio::test]
async fn token_stays_while_challenge_repeats() {
    let script = Script::new([asks("one"), asks("one"), asks("two"), asks("two")]);
    let vault = vault();
    let login = login(&script, &vault, NOON);
    let first = token(login.begin(FIRST, &credentials()).await);
    let answer = async |text: &str| {
        let waiting = login.waiting(secret(text)).expect("it waits");
        assert_eq!(waiting.first(), FIRST);
        token(login.go_on(&waiting, &secret("again")).await)
    };
    assert_eq!(answer(&first).await, first);
    let second = answer(&first).await;
    assert_ne!(second, first);
    assert_eq!(answer(&second).await, second);
}

#[tokio::test]
async fn challenge_expires_after_ten_minutes() {
    let script = Script::new([asks("one"), asks("two")]);
    let vault = vault();
    let at = |minutes: i64, ms: i64| login(&script, &vault, NOON.plus_ms(minutes * 60_000 + ms));
    let first = token(at(0, 0).begin(FIRST, &credentials()).await);
    let waiting = at(9, 59_999).waiting(secret(&first)).expect("it waits");
    let second = token(at(9, 59_999).go_on(&waiting, &secret("a")).await);
    assert!(matches!(at(10, 0).waiting(secret(&first)), Err(BankLoginError::Token)));
    assert!(at(19, 59_998).waiting(secret(&second)).is_ok());
    assert!(matches!(at(19, 59_999).waiting(secret(&second)), Err(BankLoginError::Token)));
}

#[tokio::test]
async fn other_customers_token_is_refused() {
    let vault = vault();
    let ada = login(&SandboxBankLink, &vault, NOON);
    let token = token(ada.begin(FIRST, &credentials()).await);
    let bob = BankLogin { customer: Customer { user: UserId::from_u128(3), ..ADA }, ..ada };
    assert!(matches!(bob.waiting(secret(&token)), Err(BankLoginError::Token)));
}

#[tokio::test]
async fn accounts_belong_to_the_first_login() {
    let vault = vault();
    let login = login(&SandboxBankLink, &vault, NOON);
    let token = token(login.begin(FIRST, &credentials()).await);
    for _ in 0..2 {
        let waiting = login.waiting(secret(&token)).expect("it waits");
        let shown = login.go_on(&waiting, &secret("test_answer")).await;
        let Ok(Progress::Shown { first, accounts }) = shown else { panic!("nothing is shown") };
        assert_eq!((first, accounts.len()), (FIRST, 2));
    }
}

#[tokio::test]
async fn bank_without_accounts_is_an_error() {
    let script = Script::new([Reply::Shows(vec![])]);
    let vault = vault();
    let shown = login(&script, &vault, NOON).begin(FIRST, &credentials()).await;
    assert!(matches!(shown, Err(BankLoginError::Link(BankLinkError::NoAccounts))));
}

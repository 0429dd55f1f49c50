//! The list of platforms and their secrets, as JSON and as text.

use std::fmt::Write as _;

use daybook_domain::Timestamp;
use daybook_engine::access::{ListedClient, ListedSecret};
use serde_json::{Value, json};

pub(super) fn as_json(clients: &[ListedClient]) -> Value {
    let secret = |secret: &ListedSecret| {
        json!({
            "secret": secret.number,
            "created_at": secret.created_at.ms(),
            "good_until": secret.good_until.map(Timestamp::ms),
            "revoked_at": secret.revoked_at.map(Timestamp::ms),
        })
    };
    let client = |client: &ListedClient| {
        json!({
            "client_id": client.client_id,
            "name": client.name,
            "sandbox": client.sandbox,
            "user_id": client.user.to_string(),
            "created_at": client.created_at.ms(),
            "secrets": client.secrets.iter().map(secret).collect::<Vec<_>>(),
        })
    };
    clients.iter().map(client).collect()
}

/// One line for each platform, followed by one line for each of its secrets.
pub(super) fn as_text(clients: &[ListedClient], now: Timestamp) -> String {
    if clients.is_empty() {
        return "There are no platforms.".into();
    }
    let mut text = String::new();
    for client in clients {
        let kind = if client.sandbox { "   (sandbox)" } else { "" };
        let _ = writeln!(text, "{}  {}{kind}", client.client_id, client.name);
        for secret in &client.secrets {
            let (made, state) = (secret.created_at, state(secret, now));
            let _ = writeln!(text, "    secret {}  made {made}  {state}", secret.number);
        }
    }
    text.trim_end().to_owned()
}

fn state(secret: &ListedSecret, now: Timestamp) -> String {
    match (secret.revoked_at, secret.good_until) {
        (Some(at), _) => format!("revoked {at}"),
        (None, Some(until)) if until <= now => format!("ended {until}"),
        (None, Some(until)) => format!("good until {until}"),
        (None, None) => "good".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_state_is_shown() {
        let at = Timestamp::from_ms;
        let secret =
            |good_until, revoked_at| ListedSecret { number: 1, created_at: at(0), good_until, revoked_at };
        let told = |good_until, revoked_at| state(&secret(good_until, revoked_at), at(1_000));
        assert_eq!(told(None, None), "good");
        assert_eq!(told(Some(at(2_000)), None), "good until 1970-01-01T00:00:02.000Z");
        assert_eq!(told(Some(at(1_000)), None), "ended 1970-01-01T00:00:01.000Z");
        assert_eq!(told(Some(at(2_000)), Some(at(500))), "revoked 1970-01-01T00:00:00.500Z");
    }
}

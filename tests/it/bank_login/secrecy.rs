//! Secrecy of bank logins: credentials and answers appear in no table, log line or response, and no challenge token is
//! stored.

use daybook_tests::client::Session;
use daybook_tests::database::Database;
use daybook_tests::http::{Answer, send_raw};
use daybook_tests::process::Daybook;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{asked, credentials, linked, reply};
use crate::privacy::dump;
use crate::restart::{dev_args, dev_client, folder_with_key};

/// Secrets that occur nowhere else. They include the credentials of the sandbox's bank, which are needed for a
/// successful login.
const CANARIES: [&str; 14] = [
    "synapse_good",
    "synapse_nomfa",
    "synapse_code_mfa",
    "test1234",
    "test_answer",
    "canary-bank-id",
    "canary-Bank-Password",
    "canary-wrong-answer",
    "canary-wrong-code",
    "canary-cut-short",
    "canary-in-a-list",
    "canary-as-a-name",
    "canary-no-utf8",
    "canary-much-too-long",
];

/// All bodies that were sent and all tokens that were returned.
#[derive(Default)]
struct Told {
    bodies: Vec<Vec<u8>>,
    tokens: Vec<String>,
}

impl Told {
    /// Sends a raw body under its own idempotency key and checks that the answer contains no secret.
    async fn send(&mut self, user: &Session, body: impl Into<Vec<u8>>) -> Answer {
        let body = body.into();
        let key = format!("key-{}", self.bodies.len());
        let answer = user.call("POST", "/nodes").key(&key).body(body.clone()).send().await;
        let text = answer.text().to_lowercase();
        for canary in CANARIES {
            assert!(!text.contains(&canary.to_lowercase()), "{canary} is in {text}");
        }
        self.bodies.push(body);
        answer
    }

    async fn json(&mut self, user: &Session, body: &Value) -> Answer {
        self.send(user, body.to_string()).await
    }

    /// Runs every successful and unsuccessful form of a login.
    async fn dance(&mut self, user: &Session) {
        let id = "canary-bank-id";
        let password = "canary-Bank-Password";
        for (id, password) in [(id, password), (id, "test1234"), ("synapse_good", password)] {
            self.json(user, &credentials(id, password)).await.refused(409, "400");
        }
        for (id, kind, right, wrong) in [
            ("synapse_good", "question", "test_answer", "canary-wrong-answer"),
            ("synapse_code_mfa", "code", "123456", "canary-wrong-code"),
        ] {
            let token = asked(&self.json(user, &credentials(id, "test1234")).await, kind);
            self.tokens.push(token.clone());
            for wrong in [wrong, "again"] {
                asked(&self.json(user, &reply(&token, wrong)).await, kind);
            }
            for answer in [right, right, wrong] {
                linked(&self.json(user, &reply(&token, answer)).await);
            }
            self.json(user, &reply(&format!("{token}0"), wrong)).await.refused(409, "400");
        }
        linked(&self.json(user, &credentials("synapse_nomfa", "test1234")).await);
        self.malformed(user).await;
    }

    /// Sends malformed bodies, each with a secret in it.
    async fn malformed(&mut self, user: &Session) {
        let whole = credentials("synapse_good", "canary-cut-short").to_string();
        let long = "canary-much-too-long".repeat(100);
        let huge = "canary-much-too-long".repeat(100_000);
        let token = self.tokens[0].clone();
        let bodies: [Vec<u8>; 9] = [
            whole[..whole.len() - 4].into(),
            format!("{whole}{whole}").into(),
            json!({"type": "ACH-US", "info": {"bank_id": ["canary-in-a-list"], "bank_pw": {"canary-as-a-name": 1}}})
                .to_string()
                .into(),
            json!({"type": "ACH-US", "info": {"canary-as-a-name": 1, "bank_pw": "canary-Bank-Password"}}).to_string().into(),
            [whole.as_bytes(), b"canary-no-utf8\xff"].concat(),
            credentials("synapse_good", &long).to_string().into(),
            credentials("synapse_good", &huge).to_string().into(),
            reply(&token, &long).to_string().into(),
            json!({"access_token": token, "mfa_answer": ["canary-in-a-list"]}).to_string().into(),
        ];
        for body in bodies {
            self.send(user, body).await.failure();
        }
        let head = format!(
            "POST /v3.1/users/{}/nodes HTTP/1.1\r\nHost: x\r\nContent-Length: 1e9\r\n\r\n{whole}",
            user.user_id
        );
        let _ = send_raw(user.client.address, head.as_bytes()).await;
    }

    /// Every encoding in which a secret could be stored: each with the secret that it reveals.
    fn forms(&self) -> Vec<(String, String)> {
        let canaries = CANARIES.into_iter().map(str::to_owned);
        let rest = self.tokens.iter().map(|token| token.trim_start_matches("mfa_").to_owned());
        let texts: Vec<String> = canaries.chain(self.tokens.iter().cloned()).chain(rest).collect();
        let mut forms: Vec<(String, String)> = vec![];
        for text in &texts {
            forms.extend(spellings(text.as_bytes()).into_iter().map(|form| (text.clone(), form)));
        }
        // The hash of a guessable text reveals the text to an attacker who can guess it.
        let guessable =
            CANARIES.iter().map(|text| text.as_bytes()).chain(self.bodies.iter().map(Vec::as_slice));
        for bytes in guessable {
            let name = String::from_utf8_lossy(bytes).chars().take(100).collect::<String>();
            let hash = Sha256::digest(bytes);
            forms.extend(spellings(&hash).into_iter().map(|form| (format!("the hash of {name}"), form)));
        }
        // The bytes of a token, in the encodings of tables and logs.
        for token in &self.tokens {
            let sealed = hex::decode(token.trim_start_matches("mfa_")).expect("hexadecimal digits");
            forms.extend(spellings(&sealed).into_iter().map(|form| (token.clone(), form)));
        }
        forms
    }
}

/// Encodings of `bytes`, in lower case: text, hexadecimal digits, decimal digits, and base64 at each of the three
/// alignments. Text in lower case and base64 also as hexadecimal digits, which is the display of a `bytea` column.
pub(crate) fn spellings(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let decimal = bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    let mut spellings = vec![text.clone(), text.escape_debug().to_string(), hex::encode(bytes), decimal];
    spellings.push(hex::encode(text.to_lowercase()));
    for skipped in 0..3 {
        for alphabet in [STANDARD, URL_SAFE] {
            let base64 = base64(alphabet, skipped, bytes);
            spellings.extend([hex::encode(&base64), base64]);
        }
    }
    spellings.iter().map(|form| form.to_lowercase()).filter(|form| form.len() >= 8).collect()
}

const STANDARD: [u8; 2] = *b"+/";
const URL_SAFE: [u8; 2] = *b"-_";

/// The base64 letters that every text containing `bytes` has, if `skipped` bytes modulo 3 come before them.
fn base64(alphabet: [u8; 2], skipped: usize, bytes: &[u8]) -> String {
    let letters: Vec<u8> = (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').chain(alphabet).collect();
    // Letters that also depend on a byte before or after are left out.
    let whole = &bytes[(3 - skipped) % 3..];
    let triples = whole.chunks_exact(3).flat_map(|triple| {
        let bits = u32::from_be_bytes([0, triple[0], triple[1], triple[2]]);
        [18, 12, 6, 0].map(|shift| letters[(bits >> shift & 63) as usize])
    });
    triples.map(char::from).collect()
}

/// Checks that none of `places` contains any of `forms`.
#[track_caller]
fn assert_nowhere(places: &[(String, String)], forms: &[(String, String)]) {
    for (place, text) in places {
        let text = text.to_lowercase();
        for (secret, form) in forms {
            assert!(!text.contains(form.as_str()), "{secret} is in {place}, as {form}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bank_credentials_are_stored_nowhere() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let log = folder.path().join("log");
    let process = Daybook::start_tracing(dev_args(&database, folder.path()), &log);
    let ada = dev_client(process.address()).stranger("Ada Lovelace").await;
    let mut told = Told::default();
    told.dance(&ada).await;
    assert!(process.terminate().success());

    let forms = told.forms();
    let tables = dump(&database).await;
    assert_nowhere(&tables, &forms);
    let logged = std::fs::read_to_string(&log).expect("text");
    assert_nowhere(&[("the log".to_owned(), logged.clone())], &forms);

    // The search covers enough: the keys of all three successful logins were stored, and logging ran at its most
    // verbose level.
    let keys = tables.iter().find(|(table, _)| table.ends_with(".idempotency")).expect("a table");
    assert_eq!(keys.1.lines().count(), 3);
    assert!(logged.contains("TRACE daybook_pg") && logged.contains("TRACE actix_http"), "{logged}");
}

#[test]
fn search_finds_every_encoding() {
    let secret = "canary-Bank-Password";
    let sealed = [b"{\"a\":\"", secret.as_bytes(), b"\"}"].concat();
    let in_base64 = |before: &str| base64(STANDARD, 0, format!("{before}{secret}...").as_bytes());
    let written = [
        format!("pw={secret}"),
        secret.to_uppercase(),
        format!("\\x{}", hex::encode(&sealed)),
        format!("{sealed:?}"),
        in_base64(""),
        in_base64("a"),
        in_base64("ab"),
        format!("\\x{}", hex::encode(in_base64("abcd"))),
    ];
    let forms = spellings(secret.as_bytes());
    for text in written {
        let text = text.to_lowercase();
        assert!(forms.iter().any(|form| text.contains(form.as_str())), "{text}");
    }
}

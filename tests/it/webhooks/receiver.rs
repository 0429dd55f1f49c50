//! A receiver for tests: records what it receives, and answers as configured.

use std::sync::{Arc, Mutex};

use actix_web::dev::ServerHandle;
use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes, Data};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use serde_json::Value;

/// A received call.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    pub(super) event_id: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Bytes,
}

impl Heard {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    pub(super) fn record(&self) -> String {
        self.json()["_id"]["$oid"].as_str().expect("an id").to_owned()
    }

    pub(super) fn position(&self) -> u64 {
        self.json()["position"].as_u64().expect("a position")
    }

    pub(super) fn header(&self, name: &str) -> &str {
        &self.headers.iter().find(|(known, _)| known == name).expect(name).1
    }
}

/// Computes the answer to a received call.
type Answers = Arc<dyn Fn(&Heard) -> HttpResponse + Send + Sync>;

/// A receiver that listens on a local port until it is dropped.
pub(super) struct Receiver {
    heard: Arc<Mutex<Vec<Heard>>>,
    pub(super) url: String,
    handle: ServerHandle,
}

impl Receiver {
    /// Starts a receiver that answers with these statuses.
    pub(super) fn answering(status: impl Fn(&Heard) -> u16 + Send + Sync + 'static) -> Self {
        Self::saying(move |heard| {
            let status = StatusCode::from_u16(status(heard)).expect("a status");
            HttpResponse::build(status).body("I heard you")
        })
    }

    /// Starts a receiver that gives these answers.
    pub(super) fn saying(answers: impl Fn(&Heard) -> HttpResponse + Send + Sync + 'static) -> Self {
        let (heard, answers): (Arc<Mutex<Vec<Heard>>>, Answers) = (Arc::default(), Arc::new(answers));
        let state = (Arc::clone(&heard), answers);
        let factory = move || App::new().app_data(Data::new(state.clone())).default_service(web::to(hear));
        let server = HttpServer::new(factory).workers(1).bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}/hook", server.addrs()[0]);
        let server = server.disable_signals().run();
        let handle = server.handle();
        tokio::spawn(server);
        Self { heard, url, handle }
    }

    pub(super) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().expect("nobody panicked").clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        // The server is told to stop; its end is not awaited.
        drop(self.handle.stop(false));
    }
}

async fn hear(
    state: Data<(Arc<Mutex<Vec<Heard>>>, Answers)>,
    request: HttpRequest,
    body: Bytes,
) -> HttpResponse {
    let (heard, answers) = &**state;
    let text = |value: &actix_web::http::header::HeaderValue| value.to_str().expect("text").to_owned();
    let headers: Vec<_> =
        request.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    let event_id = request.headers().get("webhook-id").map(text).unwrap_or_default();
    let told = Heard { event_id, headers, body };
    let answer = answers(&told);
    heard.lock().expect("nobody panicked").push(told);
    answer
}

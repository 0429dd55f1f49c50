//! Reachable addresses: public ones for the guarded client, any for the inside client.

use hyper::{Method, Request, StatusCode};

use super::receiver::Receiver;
use super::*;
use crate::{MAX_BODY_BYTES, inside};

/// Requests to hosts of operators: anchors, trace collectors and identity providers.
const INSIDE: [(Method, &str, &str); 4] = [
    (Method::GET, "/log/checkpoint", "text/plain; charset=utf-8"),
    (Method::PUT, "/log/checkpoints/5", "text/plain; charset=utf-8"),
    (Method::POST, "/v1/traces", "application/x-protobuf"),
    (Method::POST, "/identity", "application/json"),
];

#[tokio::test]
async fn hosts_inside_are_reached_without_the_guard() {
    let receiver = Receiver::keeping("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
    let (inside, guarded) =
        (inside::Client::new(&[]).expect("authorities"), outside(Arc::new(SystemResolver)));
    for host in ["127.0.0.1", "localhost"] {
        for (method, path, content_type) in &INSIDE {
            let url = format!("http://{host}:{}{path}", receiver.port);
            let refused = guarded.call(&call(&url)).await.outcome;
            assert!(matches!(refused, Err(Failure::NotPublic(_))), "{url}: {refused:?}");
            let request = Request::builder().method(method).uri(&url).header("content-type", *content_type);
            let request = request.body(Bytes::from_static(b"{\"a\":1}")).expect("a request");
            let (status, body) = inside.send(request).await.unwrap_or_else(|error| panic!("{url}: {error}"));
            assert_eq!((status, &*body), (StatusCode::OK, &b"ok"[..]), "{url}");
            meanwhile().await;
        }
    }
    assert_eq!(receiver.taken(), 2, "each name has its connection");
}

#[tokio::test]
async fn networks_inside_are_refused_by_the_guard() {
    for host in ["10.0.0.1", "192.168.0.1", "172.16.0.1", "[fd00::1]", "169.254.169.254"] {
        let to = format!("http://{host}/").parse().expect("an address");
        let guard = Guard { resolver: Arc::new(SystemResolver), loopback: true };
        assert!(matches!(guard.addresses(&to).await, Err(Failure::NotPublic(_))), "{host}");
        assert_eq!(inside::Anywhere.addresses(&to).await.map(|found| found.len()), Ok(1), "{host}");
    }
}

#[tokio::test]
async fn requests_inside_come_once_unless_repeating() {
    for (method, repeats, is_answered) in [
        (Method::GET, false, true),
        (Method::PUT, false, true),
        (Method::POST, false, false),
        (Method::POST, true, true),
    ] {
        let receiver = super::ended::forgetful("").await;
        let client = inside::Client::new(&[]).expect("authorities");
        let client = if repeats { client.repeating() } else { client };
        let send = async || {
            let request = Request::builder().method(&method).uri(receiver.url());
            client.send(request.body(Bytes::from_static(b"{\"a\":1}")).expect("a request")).await
        };
        send().await.expect("is answered");
        meanwhile().await;
        let again = send().await.map_err(|error| error.downcast_ref::<Failure>().cloned());
        assert_eq!(again.is_ok(), is_answered, "{method}");
        assert!(is_answered || again.is_err_and(|error| error == Some(Failure::Broken)), "{method}");
    }
}

#[tokio::test]
async fn ended_connection_costs_no_request() {
    let receiver = Receiver::saying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let client = inside::Client::new(&[]).expect("authorities");
    for _ in 0..20 {
        let request =
            Request::post(receiver.url()).body(Bytes::from_static(b"{\"a\":1}")).expect("a request");
        client.send(request).await.unwrap_or_else(|error| panic!("{error}"));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(receiver.taken(), 20);
}

#[tokio::test]
async fn answers_from_inside_are_limited() {
    let long = format!("HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n{}", "x".repeat(70_000));
    for (answer, told) in [
        (long.leak() as &'static str, "length limit exceeded"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "error reading a body from connection"),
        ("HTTP/1.1 2", "no answer"),
    ] {
        let receiver = Receiver::saying(answer).await;
        let client = inside::Client::new(&[]).expect("authorities");
        let request =
            Request::post(receiver.url()).body(Bytes::from_static(b"{\"a\":1}")).expect("a request");
        let failed = client.send(request).await.expect_err("is no whole answer");
        assert_eq!(failed.to_string(), told);
        meanwhile().await;
        assert_eq!(client.open(), 0);
    }
}

#[tokio::test]
async fn long_answers_harm_no_later_call() {
    let body = "x".repeat(MAX_BODY_BYTES + 1);
    let long = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let (receiver, client) = (Receiver::keeping(long).await, inside::Client::new(&[]).expect("authorities"));
    for expected in 1..=4 {
        let request =
            Request::post(receiver.url()).body(Bytes::from_static(b"{\"a\":1}")).expect("a request");
        let failed = client.send(request).await.expect_err("is too long");
        assert_eq!((failed.to_string().as_str(), receiver.taken()), ("length limit exceeded", expected));
        meanwhile().await;
    }
}

#[tokio::test]
async fn endless_peers_inside_end_at_the_bound() {
    for again in ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"] {
        let (receiver, _) = super::endless::endless("", again).await;
        let (client, begun) = (inside::Client::new(&[]).expect("authorities"), std::time::Instant::now());
        let request = Request::put(receiver.url()).body(Bytes::from_static(b"{\"a\":1}")).expect("a request");
        let failed = client.send(request).await.expect_err("nothing was answered");
        assert_eq!(failed.downcast_ref::<Failure>(), Some(&Failure::HeadTooLarge), "{failed:?}");
        assert!(begun.elapsed() < CALL_TIMEOUT / 3, "{:?}", begun.elapsed());
    }
}

#[test]
fn addresses_with_scheme_and_host_are_callable() {
    for (address, is_it) in [
        ("http://collector:4318", true),
        ("https://[::1]/a", true),
        ("collector:4318", false),
        ("ftp://collector/", false),
        ("/v1/traces", false),
    ] {
        assert_eq!(inside::is_callable(&address.parse().expect("an address")), is_it, "{address}");
    }
}

//! Effects of a handler that panics on its caller and on other requests.

use actix_web::dev::Service;
use actix_web::test::{TestRequest, init_service, read_body_json};
use actix_web::{App, HttpResponse, web};
use serde_json::Value;

use super::*;

const SECRET: &str = "canary-in-a-panic";

async fn panics() -> HttpResponse {
    panic!("{SECRET}")
}

#[actix_web::test]
async fn panicking_handler_answers_500_without_its_text() {
    let app = App::new()
        .wrap(from_fn(shape))
        .route("/panics", web::get().to(panics))
        .route("/well", web::get().to(|| async { HttpResponse::Ok().json("well") }));
    let app = init_service(app).await;
    for _ in 0..3 {
        let get = |path: &str| app.call(TestRequest::with_uri(path).to_request());
        let (well, panicked, still_well) = futures::join!(get("/well"), get("/panics"), get("/well"));
        for answer in [well, still_well] {
            assert_eq!(answer.map(|answer| answer.status().as_u16()).ok(), Some(200));
        }
        let error = panicked.map(drop).expect_err("a panic is no answer");
        let answer = error.error_response();
        assert_eq!(answer.status().as_u16(), 500);
        let request = TestRequest::default().to_http_request();
        let body: Value = read_body_json(ServiceResponse::new(request, answer)).await;
        assert_eq!(body["error_code"], "500");
        assert!(!body.to_string().contains(SECRET), "{body}");
    }
}

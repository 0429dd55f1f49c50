//! HTTP server of `GET /metrics`. It has a port of its own, because metrics are for operators only.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use actix_web::dev::ServerHandle;
use actix_web::http::header;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use daybook_api::{HostName, Hosts};

use super::Metrics;
use crate::error::Error;

/// Default address. Its port is one that Prometheus's registry reserves for exporters of this kind.
pub const DEFAULT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 9464);

/// Content type of the response.
const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A running server.
pub struct Server {
    /// Address that the server listens on.
    pub address: SocketAddr,
    handle: ServerHandle,
}

impl Server {
    /// Stops the server.
    pub async fn stop(self) {
        self.handle.stop(false).await;
    }
}

/// Serves `metrics` on `listener`. A loopback address accepts loopback host names and `more` only.
///
/// # Errors
///
/// Fails if the listener cannot be used.
pub fn start(metrics: Metrics, listener: TcpListener, more: &[HostName]) -> Result<Server, Error> {
    let address = listener.local_addr()?;
    let (metrics, hosts) = (web::Data::new(metrics), web::Data::new(Hosts::of(address.ip(), more)));
    let app = move || {
        let app = App::new().app_data(metrics.clone()).app_data(hosts.clone());
        app.route("/metrics", web::get().to(show))
    };
    let server = HttpServer::new(app).workers(1).disable_signals().listen(listener)?.run();
    let handle = server.handle();
    tokio::spawn(server);
    tracing::info!(%address, "metrics are shown at /metrics");
    Ok(Server { address, handle })
}

async fn show(request: HttpRequest, metrics: web::Data<Metrics>, hosts: web::Data<Hosts>) -> HttpResponse {
    if !hosts.admit(request.uri(), request.headers()) {
        let text = "metrics are served under the host names of this machine only; --allow-host permits further names\n";
        return HttpResponse::MisdirectedRequest().content_type(header::ContentType::plaintext()).body(text);
    }
    match metrics.text().await {
        Ok(text) => HttpResponse::Ok().insert_header((header::CONTENT_TYPE, KIND)).body(text),
        Err(_) => HttpResponse::InternalServerError().finish(),
    }
}

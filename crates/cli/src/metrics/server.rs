//! The server of `GET /metrics`, on a port of its own: what is shown there is for those who run the service.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use actix_web::dev::ServerHandle;
use actix_web::http::header;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use daybook_api::{HostName, Hosts};

use super::Metrics;
use crate::error::Error;

/// Where it listens unless it is told otherwise; the port that Prometheus's registry has for exporters of this kind.
pub const DEFAULT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 9464);

/// What is answered is text of this kind.
const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A running server.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    handle: ServerHandle,
}

impl Server {
    /// Ends it.
    pub async fn stop(self) {
        self.handle.stop(false).await;
    }
}

/// Shows `metrics` to whom `listener` has; an address of loopback is called by names of loopback and `more`.
///
/// # Errors
///
/// If the listener cannot be used.
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
        let text =
            "metrics are for this machine and are asked for by a name of another; --allow-host lets it in\n";
        return HttpResponse::MisdirectedRequest().content_type(header::ContentType::plaintext()).body(text);
    }
    match metrics.text().await {
        Ok(text) => HttpResponse::Ok().insert_header((header::CONTENT_TYPE, KIND)).body(text),
        Err(_) => HttpResponse::InternalServerError().finish(),
    }
}

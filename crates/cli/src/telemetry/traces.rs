//! Traces: spans from a request over the queue to its batch and commit, sent to an OpenTelemetry collector by OTLP over
//! HTTP. Spans contain counts and positions, and no data from requests.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use daybook_outbound::inside::{Client, is_callable};
use daybook_pg::Causes;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tokio::runtime::Handle;
use tracing::{Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::registry::LookupSpan;

use crate::config;
use crate::error::Error;

/// Path of a collector for traces.
const PATH: &str = "/v1/traces";

/// Timeout for sending the last spans.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Sends spans to a collector, from a thread of its own. Spans that the collector does not accept are dropped.
pub struct Traces(SdkTracerProvider);

impl Traces {
    /// Creates the exporter of `options`, which sends from `runtime`; `None` if no collector is named.
    ///
    /// # Errors
    ///
    /// Fails if the address is not valid.
    pub fn new(options: &config::Traces, runtime: &Handle) -> Result<Option<Self>, Error> {
        let Some(address) = &options.otlp_endpoint else { return Ok(None) };
        let usage = |what: String| Error::Usage(format!("--otlp-endpoint: {what}"));
        if !is_callable(address) {
            return Err(usage("an address with a host is expected".into()));
        }
        // A collector identifies a span by its id, so a request may be sent twice.
        let client = Client::new(&[]).map_err(|error| usage(error.to_string()))?.repeating();
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{}{PATH}", address.to_string().trim_end_matches('/')))
            .with_http_client(Caller { client, runtime: runtime.clone() })
            .build()
            .map_err(|error| usage(error.to_string()))?;
        let resource = Resource::builder_empty().with_service_name("daybook").build();
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_sampler(Sampler::TraceIdRatioBased(options.trace_sample))
            .with_resource(resource)
            .build();
        Ok(Some(Self(provider)))
    }

    /// Layer that passes spans to the exporter.
    pub(super) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
    {
        let layer = tracing_opentelemetry::layer().with_tracer(self.0.tracer("daybook"));
        layer.with_location(false).with_threads(false).with_tracked_inactivity(false).with_level(false)
    }

    /// Sends the remaining spans and stops.
    pub fn end(&self) {
        if let Err(error) = self.0.shutdown_with_timeout(FLUSH_TIMEOUT) {
            tracing::warn!(error = %Causes(&error), "the last spans could not be sent");
        }
    }
}

/// Makes `span` a child of the span in the header `traceparent`, if the header is valid.
pub(crate) fn continues(span: &Span, traceparent: &str) {
    let carrier = std::collections::HashMap::from([("traceparent".to_owned(), traceparent.to_owned())]);
    // Fails for a span that is not recorded, which has no parent.
    let _ = span.set_parent(TraceContextPropagator::new().extract(&carrier));
}

/// HTTP client for the collector. It is the same client as for anchors, so no second HTTP library is needed.
struct Caller {
    client: Client,
    runtime: Handle,
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Caller")
    }
}

#[async_trait]
impl HttpClient for Caller {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        // The exporter calls from a thread without a runtime.
        let (status, body) = self.runtime.spawn(async move { client.send(request).await }).await??;
        Ok(Response::builder().status(status).body(body)?)
    }
}

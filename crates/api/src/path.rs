//! Path of a request: ids by their types, read where the handler asks for them.
//!
//! A segment that is not an id gets the same answer as an unknown id. [`InPath::ids`] reports it; extraction does not.
//! So the credentials are checked first, and a caller without access learns nothing about a path.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::str::FromStr;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use daybook_domain::id::BoxId;
use daybook_domain::{
    AttachmentId, FileId, NodeId, OperationId, StatementId as BankStatementId, SubnetId, SubscriptionId,
    TransactionId, UserId,
};
use daybook_engine::Shard;
use daybook_engine::access::PlatformRecord;
use uuid::Uuid;

use crate::app::App;
use crate::error::ApiError;
use crate::wire::statement::StatementId;
use crate::wire::text;

/// A type that is always in the same segment of a path.
pub(crate) trait Segment: FromStr {
    /// Name of the segment in the route's pattern.
    const NAME: &'static str;
}

macro_rules! segments {
    ($($id:ty: $name:literal),+ $(,)?) => {
        $(impl Segment for $id {
            const NAME: &'static str = $name;
        })+
    };
}

segments! {
    AttachmentId: "attachment_id",
    BankStatementId: "bank_statement_id",
    EventName: "event_id",
    FileId: "file_id",
    NodeId: "node_id",
    OperationId: "operation_id",
    PlatformName: "platform",
    Position: "position",
    ShardNumber: "shard",
    StatementId: "statement_id",
    SubnetId: "subnet_id",
    SubscriptionId: "subscription_id",
    TransactionId: "trans_id",
    UserId: "user_id",
}

/// One segment of a path, or a tuple of segments, as a handler reads them.
pub(crate) trait Segments: Sized {
    /// Reads the segments; returns `None` if one of them is invalid.
    fn read(request: &HttpRequest) -> Option<Self>;
}

impl<S: Segment> Segments for S {
    fn read(request: &HttpRequest) -> Option<Self> {
        request.match_info().query(S::NAME).parse().ok()
    }
}

impl<A: Segment, B: Segment> Segments for (A, B) {
    fn read(request: &HttpRequest) -> Option<Self> {
        Some((A::read(request)?, B::read(request)?))
    }
}

impl<A: Segment, B: Segment, C: Segment> Segments for (A, B, C) {
    fn read(request: &HttpRequest) -> Option<Self> {
        Some((A::read(request)?, B::read(request)?, C::read(request)?))
    }
}

/// Ids in the path of a request.
#[derive(Debug)]
pub struct InPath<T>(Option<T>);

impl<T> InPath<T> {
    /// Returns the ids.
    ///
    /// # Errors
    ///
    /// [`ApiError::NotFound`] if a segment is not an id.
    pub(crate) fn ids(self) -> Result<T, ApiError> {
        self.0.ok_or(ApiError::NotFound)
    }
}

impl<T: Segments> FromRequest for InPath<T> {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(T::read(request))))
    }
}

/// Returns the id in the path of a request, for an extractor that also reads other parts of the request.
///
/// # Errors
///
/// [`ApiError::NotFound`] if the segment is not an id.
pub(crate) fn id<S: Segment>(request: &HttpRequest) -> Result<S, ApiError> {
    S::read(request).ok_or(ApiError::NotFound)
}

/// Position of the log: digits only.
#[derive(Clone, Copy, Debug)]
pub struct Position(pub(crate) u64);

impl FromStr for Position {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        text::digits(text).map(Self).ok_or(())
    }
}

/// Number of a shard: digits only, without a zero before them.
#[derive(Clone, Copy, Debug)]
pub struct ShardNumber(pub(crate) Shard);

impl FromStr for ShardNumber {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = text::digits(text).filter(|_| !text.starts_with('0')).ok_or(())?;
        Shard::try_from(number).map(Self).map_err(|_| ())
    }
}

/// Name of an event: its position, or its id as a ULID or a UUID. Each form has one spelling.
#[derive(Clone, Copy, Debug)]
pub enum EventName {
    /// Position of the event in the log.
    Position(u64),
    /// Id of the event.
    Id(Uuid),
}

impl FromStr for EventName {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if let Some(position) = text::digits(text) {
            return Ok(Self::Position(position));
        }
        if let Ok(id) = text.parse::<BoxId>() {
            return Ok(Self::Id(Uuid::from(id)));
        }
        let id = text.parse::<Uuid>().map_err(|_| ())?;
        if id.to_string() == text { Ok(Self::Id(id)) } else { Err(()) }
    }
}

/// Name of a platform: its client id, or its own id.
#[derive(Clone, Debug)]
pub struct PlatformName(String);

impl FromStr for PlatformName {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        // The database looks up the client id and does not accept a NUL.
        text::check(name).map_err(|_| ())?;
        Ok(Self(name.to_owned()))
    }
}

impl PlatformName {
    /// Finds the platform.
    ///
    /// # Errors
    ///
    /// [`ApiError::NotFound`] if it does not exist.
    pub(crate) async fn find(&self, app: &App) -> Result<Arc<PlatformRecord>, ApiError> {
        let access = app.engine.access();
        let found = match self.0.parse() {
            Ok(id) => access.platform(id).await?,
            Err(_) => access.platform_of_client(&self.0).await?,
        };
        found.ok_or(ApiError::NotFound)
    }
}

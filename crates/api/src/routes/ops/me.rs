//! `GET /v3.1/ops/operators/me`

use actix_web::web;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::Record;
use crate::wire;

/// Answers the operator who asks.
pub async fn me(app: web::Data<App>, operator: Operator) -> Record<wire::operator::Operator> {
    Record(wire::operator::render(operator.id, &operator.name, &app.base_url))
}

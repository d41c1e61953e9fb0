//! The tool that says what the token may do, for which organization, and what time it is.

use std::sync::LazyLock;

use serde::Serialize;
use serde_json::Value;
use signup_core::Scope;
use warp::http::StatusCode;
use warp::reply::Response;

use super::schema::{ApiOperation, Object};
use super::tool::{Caller, Effect, Tool, body};
use crate::reply::json;
use crate::wire::{Data, Instant};

pub(super) const TOOL: Tool = Tool {
    name: "whoami",
    description: "Shows your scopes, when your token ends, the plan's limits, the organization (team; null if you may not read it) \
                  and the present time. Call it first.",
    scope: None,
    effect: Effect::Reads,
    operation: "showToken",
};

/// The operation that reads the organization.
static TEAM: LazyLock<Option<ApiOperation>> = LazyLock::new(|| ApiOperation::named("showTeam"));

/// The answer.
#[derive(Debug, Serialize)]
struct Whoami {
    token: Value,
    team: Value,
    now: Instant,
}

/// Adds the organization and the time to the answer with the token.
pub(super) async fn with_team(caller: &Caller, token: Response) -> Response {
    if !token.status().is_success() {
        return token;
    }
    let mut team = Value::Null;
    let may_read = caller.session.permissions().contains(Scope::OrganizationRead);
    if let Some(operation) = TEAM.as_ref().filter(|_| may_read) {
        let found = caller.run(&TOOL, operation, Object::new(), vec![]).await;
        if !found.status().is_success() {
            return found;
        }
        team = body(found).await["data"].take();
    }
    let token = body(token).await["data"].take();
    let now = Instant(caller.context.service.now());
    json(StatusCode::OK, &Data { data: Whoami { token, team, now } })
}

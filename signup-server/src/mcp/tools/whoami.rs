//! The tool that says what the token may do, and for which organization.

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};
use signup_core::Scope;
use warp::http::StatusCode;
use warp::reply::Response;

use super::super::schema::{ApiOperation, Object, object, of_success};
use super::super::tool::{Caller, Effect, Tool, body};
use crate::reply::json as json_response;

pub(crate) const TOOL: Tool = Tool {
    name: "whoami",
    title: "Show the token and its organization",
    description: "Returns the organization that you work for, and what your token may do: its scopes, when it expires, and how \
                  many active events the plan allows. Call this first, to learn which of the other tools you have. `team` is null \
                  if the token may not read the organization. Sends no email.",
    scope: None,
    effect: Effect::Reads,
    operation: "showToken",
};

/// The operation that reads the organization.
static TEAM: LazyLock<Option<ApiOperation>> = LazyLock::new(|| ApiOperation::named("showTeam"));

/// Returns the schema of the answer: what the two operations return, side by side.
pub(super) fn output() -> Option<Arc<Object>> {
    let (token, mut team) = (ApiOperation::named(TOOL.operation)?.data(), TEAM.as_ref()?.data());
    let types = team.get_mut("type")?;
    *types = json!([*types, "null"]);
    let mut data = Object::new();
    data.insert("token".to_owned(), token);
    data.insert("team".to_owned(), team);
    let data = object(data, vec![json!("token"), json!("team")]);
    let mut answer = Object::new();
    answer.insert("data".to_owned(), Value::Object(data));
    Some(of_success(object(answer, vec![json!("data")])))
}

/// Adds the organization to the answer with the token.
pub(crate) async fn with_team(caller: &Caller, token: Response) -> Response {
    if !token.status().is_success() {
        return token;
    }
    let mut team = Value::Null;
    let may_read = caller.session.permissions().contains(Scope::OrganizationRead);
    if let Some(operation) = TEAM.as_ref().filter(|_| may_read) {
        let found = caller.run(&TOOL, operation, Object::new()).await;
        if !found.status().is_success() {
            return found;
        }
        team = body(found).await["data"].take();
    }
    let token = body(token).await["data"].take();
    json_response(StatusCode::OK, &json!({ "data": { "token": token, "team": team } }))
}

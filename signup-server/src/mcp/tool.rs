//! Tools: what an agent reads of each, and how a call becomes a request of the API.
//!
//! A tool is an operation of the API under another name; `whoami` is two. A call runs the handler of that operation, so a tool and
//! its operation have the same rules, the same answers and the same idempotency keys.

use bytes::Bytes;
use futures_util::stream;
use http_body_util::BodyExt as _;
use rmcp::model::{CallToolResult, ContentBlock, ToolAnnotations};
use serde_json::Value;
use signup_core::{Fault, FaultKind, FaultPath, Faults, IdempotencyKey, Scope, Session, ValueType};
use warp::http::{HeaderMap, HeaderValue, Method, StatusCode};
use warp::reply::Response;

use super::schema::{ApiOperation, IDEMPOTENCY_KEY, Object, PREVIEW};
use crate::call::{ApiCall, ApiHandler};
use crate::handlers::{Context, MailsQueued, REPLAY};
use crate::path::PathParameters;
use crate::reply::{self, ApiError};
use crate::request::{Request, body_stream};

/// What a tool does, and what an agent reads of it.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    /// When to use the tool, when to use another one, whom it mails, and what cannot be undone.
    pub(super) description: &'static str,
    /// The scope that the tool requires. A token without it does not see the tool.
    pub(super) scope: Option<Scope>,
    pub(super) effect: Effect,
    /// The id of the operation in the description of the API.
    pub(super) operation: &'static str,
}

/// What a call changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing.
    Reads,
    /// Adds a record. A second call adds a second one.
    Adds,
    /// Sets a state that can be set back. A second call changes nothing.
    Sets,
    /// Deletes a record and mails nobody. A second call changes nothing.
    Deletes,
    /// Overwrites values or ends something, and mails the volunteers whom that affects. A second call changes nothing.
    ChangesAndMails,
}

impl Effect {
    /// Returns the hints for agents that differ from the defaults of the protocol. The default is a tool that destroys something,
    /// does so again when it is repeated, and reaches people outside.
    fn annotations(self) -> ToolAnnotations {
        let inside = ToolAnnotations::new().open_world(false);
        match self {
            Self::Reads => inside.read_only(true),
            Self::Adds => inside.destructive(false),
            Self::Sets => inside.destructive(false).idempotent(true),
            Self::Deletes => inside.idempotent(true),
            Self::ChangesAndMails => ToolAnnotations::new().idempotent(true),
        }
    }

    /// Returns whether the answer says how many mails the call queued, and the call can be previewed.
    pub(super) fn mails(self) -> bool {
        self == Self::ChangesAndMails
    }
}

impl Tool {
    /// Returns the definition that the list of tools shows.
    pub(super) fn definition(&self, operation: &ApiOperation) -> rmcp::model::Tool {
        rmcp::model::Tool::new(self.name, self.description, operation.input(self.effect.mails()))
            .with_annotations(self.effect.annotations())
    }

    /// Returns whether a session may call the tool.
    pub(super) fn is_allowed(&self, session: &Session) -> bool {
        self.scope.is_none_or(|scope| session.permissions().contains(scope))
    }
}

/// Finds the handler of an operation of the API by its method and its path, with the parameters in the path.
pub(super) type FindOperation = fn(&Method, &str) -> Option<(ApiHandler, PathParameters)>;

/// The caller of tools: the session of the token, and what handlers need.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub(super) context: Context,
    pub(super) session: Session,
    pub(super) find: FindOperation,
}

impl Caller {
    /// Runs the operation of a tool with the arguments of a call. `known` has the names of the arguments that the tool takes.
    ///
    /// The scope is checked first, then the idempotency key, and then the ids, as for a request of the API. A preview ignores the
    /// key.
    pub(super) async fn run(
        &self,
        tool: &Tool,
        operation: &ApiOperation,
        arguments: Object,
        known: Vec<&'static str>,
    ) -> Response {
        match self.request(tool, operation, arguments) {
            Ok((path, mut request)) => {
                request.arguments = known;
                self.answer(operation, &path, request).await
            }
            Err(error) => error.into_response(),
        }
    }

    /// Returns the path and the request of the operation.
    fn request(
        &self,
        tool: &Tool,
        operation: &ApiOperation,
        mut arguments: Object,
    ) -> Result<(String, Request), ApiError> {
        if let Some(scope) = tool.scope {
            self.session.require(scope)?;
        }
        let key = if operation.is_write() { arguments.shift_remove(IDEMPOTENCY_KEY) } else { None };
        let mut faults = Faults::new();
        let path = path(operation, &mut arguments, &mut faults);
        let is_preview = tool.effect.mails() && is_preview(&mut arguments, &mut faults);
        let mut headers = HeaderMap::new();
        if !is_preview && let Some(key) = key.as_ref().and_then(key_of) {
            headers.insert("idempotency-key", key?);
        }
        let (query, body) = if operation.takes_query() {
            (query(operation, arguments, &mut faults)?, Bytes::new())
        } else {
            (String::new(), Value::Object(arguments).to_string().into())
        };
        faults.into_result(Some(()))?;
        let body = body_stream(stream::iter([Ok::<_, warp::Error>(body)]));
        let mut request = Request::new(headers, query, body, None);
        request.is_preview = is_preview;
        Ok((path, request))
    }

    /// Calls the handler of the operation.
    async fn answer(&self, operation: &ApiOperation, path: &str, request: Request) -> Response {
        let Some((handle, path)) = (self.find)(&operation.method, path) else { return reply::not_found() };
        let (context, session) = (self.context.clone(), self.session.clone());
        handle(ApiCall { context, session, request, path }).await.unwrap_or_else(ApiError::into_response)
    }
}

/// Returns the header with the key in the argument. `None` for an argument that counts as omitted: null, or an empty text.
fn key_of(argument: &Value) -> Option<Result<HeaderValue, Faults>> {
    let fault = |kind: FaultKind| Fault::new(FaultPath::new().member(IDEMPOTENCY_KEY), kind).into();
    match argument {
        Value::Null => None,
        Value::String(key) if key.is_empty() => None,
        Value::String(key) => {
            Some(key.parse::<IdempotencyKey>().map_err(|error| fault(error.into())).and_then(
                // Never an error: a key is visible ASCII.
                |key| HeaderValue::try_from(key.as_str()).map_err(|_| fault(FaultKind::Required)),
            ))
        }
        _ => Some(Err(fault(ValueType::Text.into()))),
    }
}

/// Takes the ids out of the arguments, and returns the path with them.
fn path(operation: &ApiOperation, arguments: &mut Object, faults: &mut Faults) -> String {
    let segments = operation.path.split('/').map(|segment| {
        let parameter = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let Some(parameter) = parameter else { return segment.to_owned() };
        let name = ApiOperation::argument_of(parameter);
        match arguments.shift_remove(name) {
            None | Some(Value::Null) => faults.add(FaultPath::new().member(name), FaultKind::Required),
            // An id must not change which operation the path names. No record has the id "-".
            Some(Value::String(id)) if id.is_empty() || id.contains('/') => return "-".to_owned(),
            Some(Value::String(id)) => return id,
            Some(_) => faults.add(FaultPath::new().member(name), ValueType::Text),
        }
        String::new()
    });
    segments.collect::<Vec<_>>().join("/")
}

/// Takes the argument out that asks for a preview. Only true and false are clear enough about whether people are mailed.
fn is_preview(arguments: &mut Object, faults: &mut Faults) -> bool {
    match arguments.shift_remove(PREVIEW) {
        None => false,
        Some(Value::Bool(is_preview)) => is_preview,
        Some(_) => {
            faults.add(FaultPath::new().member(PREVIEW), ValueType::Flag);
            false
        }
    }
}

/// Returns the arguments as a query. A null becomes an empty value, which counts as omitted. 25.0 is the whole number 25.
fn query(operation: &ApiOperation, arguments: Object, faults: &mut Faults) -> Result<String, ApiError> {
    let pairs = arguments.into_iter().map(|(name, value)| match value {
        Value::Null => (name, String::new()),
        Value::String(text) => (name, text),
        other => {
            if operation.takes_text(&name) {
                faults.add(FaultPath::new().member(&name), ValueType::Text);
            }
            let whole = other.as_f64().filter(|_| other.is_f64());
            (name, whole.map_or_else(|| other.to_string(), |number| number.to_string()))
        }
    });
    // Never an error: pairs of texts can always be encoded.
    serde_urlencoded::to_string(pairs.collect::<Vec<_>>()).map_err(|_| ApiError::Bug)
}

/// The arguments that are ids: what each is the id of, and the tool that lists these records.
const IDS: [(&str, &str, &str); 2] =
    [("event_id", "an event", "list_events"), ("slot_id", "a shift", "list_shifts")];

/// Returns what to add to the message of a 404 to a call with these arguments: of which record each id has to be.
pub(super) fn hint_for_ids(arguments: &Object) -> String {
    let given = IDS.iter().filter(|(name, ..)| arguments.get(*name).is_some_and(|id| !id.is_null()));
    given.map(|(name, record, tool)| format!(" {name} must be the id of {record}: see {tool}.")).collect()
}

/// Returns the result of a call whose operation gave this response: one text with the JSON body. A refusal is a result, too: an
/// agent reads its body and corrects the arguments. `hint` is added to the message of a 404.
pub(super) async fn result(response: Response, mails: bool, hint: &str) -> CallToolResult {
    let (status, is_replay) = (response.status(), response.headers().contains_key(REPLAY));
    let mails_queued = response.extensions().get::<MailsQueued>().map(|queued| queued.0);
    let mut body = body(response).await;
    if status == StatusCode::NOT_FOUND {
        body["message"] = format!("{}{hint}", body["message"].as_str().unwrap_or_default()).into();
    }
    if let Some(mails_queued) = mails_queued.filter(|_| mails) {
        body["mails_queued"] = mails_queued.into();
    }
    if is_replay {
        body["replayed"] = true.into();
    }
    let content = vec![ContentBlock::text(body.to_string())];
    if status.is_success() { CallToolResult::success(content) } else { CallToolResult::error(content) }
}

/// Returns the body of a response of the API, which is JSON and in memory.
pub(super) async fn body(response: Response) -> Value {
    let bytes = response.into_body().collect().await.map(http_body_util::Collected::to_bytes);
    serde_json::from_slice(&bytes.unwrap_or_default()).unwrap_or_default()
}

//! Writes of the API: the checks before the library is called, and the header of a replayed answer.

use serde::Serialize;
use signup_core::{IdempotencyKey, Networks, Operation, Outcome, PendingWrite, PlanLimits, Reply, Session};
use warp::http::{HeaderName, HeaderValue, StatusCode};
use warp::reply::Response;

use crate::reply::{ApiError, json};
use crate::request::Request;
use crate::wire::{Data, Preview};

/// The header of a replayed answer.
pub(crate) const REPLAY: HeaderName = HeaderName::from_static("idempotent-replay");

/// The number of mails that a write queued: an extension of the response, which the API does not send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MailsQueued(pub(crate) u32);

/// Returns the response with what a write would do. `reply` is that of a [preview](Session::preview).
pub(crate) fn preview<T>(reply: Reply<T>) -> Response {
    json(StatusCode::OK, &Preview::new(reply))
}

/// Returns the response of a write with `data`. A replay has the header `Idempotent-Replay: true`.
pub(crate) fn answer<T>(status: StatusCode, reply: &Reply<T>, data: impl Serialize) -> Response {
    let mut response = json(status, &Data { data });
    if reply.is_replay {
        response.headers_mut().insert(REPLAY, HeaderValue::from_static("true"));
    }
    response.extensions_mut().insert(MailsQueued(reply.mails_queued));
    response
}

/// A write of the API whose token has the scope, and whose idempotency key is well-formed.
pub(crate) struct AuthorizedWrite {
    session: Session,
    operation: Operation,
    key: Option<IdempotencyKey>,
}

impl AuthorizedWrite {
    /// Checks the scope of the operation, and then the idempotency key. A handler calls this function before it reads the body.
    pub(crate) fn authorize(
        session: Session,
        operation: impl Into<Operation>,
        request: &Request,
    ) -> Result<Self, ApiError> {
        let operation = operation.into();
        session.require(operation.kind().permission())?;
        Ok(Self { key: request.idempotency_key()?, session, operation })
    }

    /// Returns the limits of the organization's plan.
    pub(crate) const fn limits(&self) -> PlanLimits {
        self.session.limits()
    }

    /// Returns the networks that webhooks may reach besides public addresses.
    pub(crate) fn webhook_networks(&self) -> &Networks {
        self.session.webhook_networks()
    }

    /// Calls a method of the library with the input of the request. A stored answer takes precedence over a fault of the
    /// input.
    pub(crate) async fn call<V, T: TryFrom<Outcome>>(
        &self,
        input: Result<V, ApiError>,
        method: impl FnOnce(&Session, V) -> PendingWrite<'_, T>,
    ) -> Result<Reply<T>, ApiError> {
        let error = match input {
            Ok(value) => {
                let write = method(&self.session, value);
                let write = match &self.key {
                    Some(key) => write.with_key(key.clone()),
                    None => write,
                };
                return Ok(write.reply().await?);
            }
            Err(error) => error,
        };
        // The token may have expired while the body was read.
        self.session.require(self.operation.kind().permission())?;
        let Some(key) = &self.key else { return Err(error) };
        self.session.stored_reply(self.operation, key).await?.ok_or(error)
    }

    /// Returns the session, for the preview of the write.
    pub(crate) const fn session(&self) -> &Session {
        &self.session
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use bytes::Bytes;
    use futures_util::stream;
    use signup_core::{
        Error, EventQuery, EventWithShifts, FixedClock, Input, NewEvent, NewOrganization, NewToken,
        OperationKind, Scopes, Service,
    };
    use signup_store_memory::MemoryStore;
    use warp::http::HeaderMap;

    use super::*;

    const GOOD: &str = r#"{"title": "Food drive", "start_date": "2027-06-05", "timezone": "UTC"}"#;

    /// The token expires before the body arrives.
    #[tokio::test]
    async fn a_token_that_expires_while_the_body_is_read_is_refused() {
        for (body, is_stored) in [(GOOD, false), ("{}", false), ("{}", true), (GOOD, true)] {
            let clock = Arc::new(FixedClock::at("2027-05-01T12:00:00Z".parse().unwrap()));
            let service = Service::new(MemoryStore::new()).with_clock(Arc::clone(&clock));
            let new = NewOrganization::new("Riverside".parse().unwrap());
            let organization = service.admin().create_organization(new).await.unwrap().id;
            let token = NewToken::new("import".parse().unwrap(), Scopes::all()).expires_in_days(1);
            let (_, token) = service.admin().create_token(organization, token).await.unwrap();
            let session = service.authenticate(token.reveal()).await.unwrap();
            if is_stored {
                let input = Input::from_json(GOOD.as_bytes()).unwrap();
                let event = NewEvent::from_input(input, session.limits()).unwrap();
                session.create_event(event).with_key("key".parse().unwrap()).await.unwrap();
            }

            let mut headers = HeaderMap::new();
            headers.insert("idempotency-key", HeaderValue::from_static("key"));
            let slow = stream::once(async move {
                clock.advance(86_400);
                Ok(Bytes::from_static(body.as_bytes()))
            });
            let mut request = Request::new(headers, String::new(), Mutex::new(Box::pin(slow)), None);
            let write = AuthorizedWrite::authorize(session, OperationKind::CreateEvent, &request).unwrap();
            let limits = write.limits();
            let event = request.input(&[], |input| NewEvent::from_input(input, limits)).await;
            let created: Result<Reply<EventWithShifts>, _> = write.call(event, Session::create_event).await;
            assert!(matches!(created, Err(ApiError::Service(Error::Unauthenticated))), "{created:?}");
            let session = service.session_for(organization, Scopes::all()).await.unwrap();
            let events = session.events(EventQuery::new()).await.unwrap().items;
            assert_eq!(events.len(), usize::from(is_stored), "nothing is written");
        }
    }
}

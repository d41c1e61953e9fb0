//! The JSON of API tokens.

use serde::Serialize;
use signup_core::{PlanLimits, Scope, TokenText};
use uuid::Uuid;

use super::Instant;

/// A token, without its text.
#[derive(Debug, Serialize)]
pub(crate) struct Token<'a> {
    id: Uuid,
    organization_id: Uuid,
    name: &'a str,
    scopes: Vec<&'static str>,
    expires_at: Instant,
    created_at: Instant,
    revoked_at: Option<Instant>,
}

impl<'a> Token<'a> {
    pub(crate) fn new(token: &'a signup_core::Token) -> Self {
        Self {
            id: token.id.uuid(),
            organization_id: token.organization.uuid(),
            name: token.name.as_str(),
            scopes: token.scopes.iter().map(Scope::name).collect(),
            expires_at: Instant(token.expires_at),
            created_at: Instant(token.created_at),
            revoked_at: token.revoked_at.map(Instant),
        }
    }
}

/// The token of a request, with the plan of its organization.
#[derive(Debug, Serialize)]
pub(crate) struct TokenUse<'a> {
    id: Uuid,
    name: &'a str,
    scopes: Vec<&'static str>,
    expires_at: Instant,
    created_at: Instant,
    plan: &'static str,
    limits: PlanLimits,
    active_events: u32,
}

impl<'a> TokenUse<'a> {
    pub(crate) fn new(found: &'a signup_core::TokenUse) -> Self {
        let Token { id, name, scopes, expires_at, created_at, .. } = Token::new(&found.token);
        let (plan, limits, active_events) = (found.plan.name(), found.limits, found.active_events);
        Self { id, name, scopes, expires_at, created_at, plan, limits, active_events }
    }
}

/// A new token, with its text. The text is shown only once.
#[derive(Serialize)]
pub(crate) struct NewToken<'a> {
    id: Uuid,
    organization_id: Uuid,
    name: &'a str,
    scopes: Vec<&'static str>,
    expires_at: Instant,
    token: &'a str,
}

impl<'a> NewToken<'a> {
    pub(crate) fn new(token: &'a signup_core::Token, text: &'a TokenText) -> Self {
        let Token { id, organization_id, name, scopes, expires_at, .. } = Token::new(token);
        Self { id, organization_id, name, scopes, expires_at, token: text.reveal() }
    }
}

//! The page of the API tokens. Only the page after a creation shows the token.

use askama::Template;
use signup_core::{Actor, NewToken, Permission, Reply, Scope, Token, TokenId, TokenText};
use warp::http::StatusCode;

use super::{day, moment};
use crate::console::{As, ConsoleRefusal, DoneBefore, Form, Frame, MemberCall, PageResult, show, there};
use crate::page::Head;

#[derive(Debug, Template)]
#[template(path = "console/settings/tokens.html")]
struct TokensTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    form: &'a Form,
    /// The name of the token that the same form has created before.
    created: Option<&'a str>,
    tokens: Vec<TokenView<'a>>,
    scopes: Vec<(&'static str, &'static str, &'static str)>,
}

/// A token, as the page shows it.
#[derive(Debug)]
struct TokenView<'a> {
    id: TokenId,
    name: &'a str,
    scopes: Vec<&'static str>,
    /// Who made the token, and when.
    created: String,
    /// When the token was last used.
    used: String,
    /// Until when the token works, or since when it does not.
    life: String,
    is_valid: bool,
}

/// The page that shows a token once.
#[derive(Template)]
#[template(path = "console/settings/token.html")]
struct TokenTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    name: &'a str,
    text: &'a str,
    base_url: &'a str,
}

const FIELDS: &[(&str, As)] = &[("name", As::Text), ("scopes", As::List), ("expires_in_days", As::Number)];

/// The path of the page below the organization.
const TOKENS: &str = "/settings/tokens";

/// `GET /console/{slug}/settings/tokens`: shows a token that was just created once, or lists the tokens.
pub(crate) async fn list_tokens(call: MemberCall) -> PageResult {
    call.session.require(Permission::ReadTokens)?;
    if let Some((id, text)) = call.what_was_made::<TokenId, String>() {
        let tokens = call.session.tokens().await?;
        if let Some(token) = tokens.iter().find(|token| token.id == id) {
            return Ok(call.show_made(&TokenTemplate {
                head: call.frame.head("Your new API token"),
                frame: &call.frame,
                name: token.name.as_str(),
                text: &text,
                base_url: &call.console.url(""),
            }));
        }
    }
    page(&call, StatusCode::OK, &with_life(call.new_form()?), None).await
}

/// `POST /console/{slug}/settings/tokens`: creates or revokes a token.
pub(crate) async fn change_tokens(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageTokens)?;
    let form = call.form().await?;
    match form.action() {
        "create" => match form.checked(FIELDS, NewToken::from_input) {
            Ok(new) => {
                let created = form.write(call.session.create_token(new)).await?;
                let before = created_before(&call, &created).await?;
                let (token, text) = created.value;
                if let Some(before) = before {
                    return page(&call, StatusCode::CONFLICT, &form.done_before(before), None).await;
                }
                let Some(text) = text else {
                    return page(&call, StatusCode::OK, &with_life(form.next()), Some(&token)).await;
                };
                Ok(call.made(token.id, text.reveal(), TOKENS))
            }
            Err(faults) => page(&call, StatusCode::UNPROCESSABLE_ENTITY, &form.refused(&faults), None).await,
        },
        "revoke" => {
            let id = form.value("token_id").parse().unwrap_or(TokenId::NONE);
            call.session.revoke_token(id).await?;
            Ok(call.see_other(TOKENS))
        }
        _ => Err(ConsoleRefusal::UnknownAction),
    }
}

/// Returns what the same form has created before, if it had other values, or that token works no longer.
async fn created_before(
    call: &MemberCall,
    created: &Reply<(Token, Option<TokenText>)>,
) -> Result<Option<DoneBefore>, ConsoleRefusal> {
    let (token, _) = &created.value;
    let link = ("see your tokens", call.frame.path(TOKENS));
    let sentence = format!("It created the token “{}”, which we can’t show again.", token.name);
    let gone = ("It has expired or been revoked since.", link.clone());
    let works = async {
        let tokens = call.session.tokens().await?;
        there(tokens.iter().any(|found| found.id == token.id && found.is_valid(call.now())))
    };
    Ok(DoneBefore::of(created, works, (sentence, link), gone).await?)
}

/// Returns a form with the longest life of a token.
fn with_life(form: Form) -> Form {
    form.with("expires_in_days", Token::MAX_DAYS.to_string())
}

/// Returns the page of the tokens. `created` is the token that the same form has created before.
async fn page(call: &MemberCall, status: StatusCode, form: &Form, created: Option<&Token>) -> PageResult {
    let tokens = call.session.tokens().await?;
    let (frame, now) = (&call.frame, call.now());
    let view = |token| view(token, now);
    let mut views: Vec<_> = tokens.iter().rev().map(view).collect();
    views.sort_by_key(|token| !token.is_valid);
    let page = TokensTemplate {
        head: frame.head_of("API tokens", form),
        frame,
        form,
        created: created.map(|token| token.name.as_str()),
        tokens: views,
        scopes: Scope::ALL.iter().map(|scope| (scope.name(), scope.name(), purpose(*scope))).collect(),
    };
    Ok(show(status, &page))
}

fn view(token: &Token, now: signup_core::Timestamp) -> TokenView<'_> {
    let life = match token.revoked_at {
        Some(at) => format!("Revoked on {}", day(at)),
        None if token.is_valid(now) => format!("Expires on {}", day(token.expires_at)),
        None => format!("Expired on {}", day(token.expires_at)),
    };
    TokenView {
        id: token.id,
        name: token.name.as_str(),
        scopes: token.scopes.iter().map(Scope::name).collect(),
        created: format!("Created on {} by {}", day(token.created_at), maker(&token.created_by)),
        used: token
            .last_used_at
            .map_or_else(|| "Never used".to_owned(), |at| format!("Last used on {}", moment(at))),
        life,
        is_valid: token.is_valid(now),
    }
}

/// Returns the name of the maker of a token. The name of a person stays when the person has left.
fn maker(actor: &Actor) -> &str {
    match actor {
        Actor::Person { name, .. } => name.as_str(),
        _ => "the operator of the server",
    }
}

/// Returns what a scope is for.
const fn purpose(scope: Scope) -> &'static str {
    match scope {
        Scope::EventsRead => "Read events and their questions",
        Scope::EventsWrite => "Create, change, publish, cancel and delete events and questions",
        Scope::ShiftsRead => "Read shifts, and how many places are filled",
        Scope::ShiftsWrite => "Add, change and delete shifts",
        Scope::OrganizationRead => "Read the name and the contact of the organization",
        Scope::SignupsRead => "Read who has signed up: names, email addresses and answers",
        Scope::ActivityRead => "Read what happened, and who did it",
        Scope::WebhooksRead => "Read webhooks and their deliveries",
        Scope::WebhooksWrite => "Create, change, test and delete webhooks",
        // A scope that is newer than this page.
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use signup_core::{Digest, OrganizationId, Scopes, Timestamp};

    use super::*;

    #[test]
    fn the_last_use_is_shown_to_the_minute_in_utc() {
        let (name, at) = ("import".parse().unwrap(), |text: &str| text.parse::<Timestamp>().unwrap());
        let (digest, created) = (Digest::of("x"), at("2026-11-01T08:00:00Z"));
        let mut token = Token::new(TokenId::NONE, OrganizationId::NONE, name, digest, Scopes::all(), created);
        assert_eq!(view(&token, created).used, "Never used");
        token.last_used_at = Some(at("2026-11-24T15:30:59Z"));
        assert_eq!(view(&token, created).used, "Last used on 24 November 2026, 15:30 UTC");
    }

    #[test]
    fn the_page_says_what_each_scope_is_for() {
        for scope in Scope::ALL {
            assert!(!purpose(*scope).is_empty(), "{scope}");
        }
    }
}

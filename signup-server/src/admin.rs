//! The commands that manage organizations, tokens and questions. Each prints JSON objects, one a line.

use serde::Serialize;
use signup_core::input::{NewOrganization, NewQuestion, NewToken};
use signup_core::{
    Error, EventId, Organization, OrganizationId, Question, QuestionId, Scopes, Service, Token, TokenId,
};

use crate::config::{Command, OrganizationCommand, QuestionCommand, TokenCommand, event_id};
use crate::output;
use crate::reply::WithSources;
use crate::wire::{Instant, Team, Text};

/// Organizations that are read at once.
const PAGE: u32 = 500;

/// Runs a command.
///
/// # Errors
/// One line that says what is wrong.
pub(crate) async fn run(service: &Service, command: Command) -> Result<(), String> {
    match command {
        Command::Serve => Ok(()),
        Command::Organization(command) => organization(service, command).await,
        Command::Token(command) => token(service, command).await,
        Command::Question(command) => question(service, command).await,
    }
}

async fn organization(service: &Service, command: OrganizationCommand) -> Result<(), String> {
    match command {
        OrganizationCommand::Create { name, plan, sport, public_url } => {
            let plan = plan.parse().map_err(|error| format!("--plan {error}"))?;
            let new = NewOrganization { name, plan, sport, public_url };
            print(&OrganizationLine::new(&service.create_organization(new).await.map_err(line)?))
        }
        OrganizationCommand::List => {
            let mut after: Option<OrganizationId> = None;
            loop {
                let page = service.list_organizations(after, PAGE).await.map_err(line)?;
                let Some(last) = page.last() else { return Ok(()) };
                after = Some(last.id);
                page.iter().try_for_each(|organization| print(&OrganizationLine::new(organization)))?;
            }
        }
        OrganizationCommand::Plan { organization, plan } => {
            let plan = plan.parse().map_err(|error| format!("--plan {error}"))?;
            let organization = find(service, &organization).await?;
            print(&OrganizationLine::new(&service.set_plan(organization.id, plan).await.map_err(line)?))
        }
    }
}

async fn token(service: &Service, command: TokenCommand) -> Result<(), String> {
    match command {
        TokenCommand::Create { organization, name, scopes, expires_in_days } => {
            let scopes = match scopes {
                Some(scopes) => scopes.parse().map_err(|error| format!("--scopes: {error}"))?,
                None => Scopes::all(),
            };
            let organization = find(service, &organization).await?;
            let new = NewToken { name, scopes, expires_in_days };
            let (token, text) = service.create_token(organization.id, &new).await.map_err(line)?;
            print(&NewTokenLine { token: TokenLine::new(&token), text: text.reveal() })
        }
        TokenCommand::List { organization } => {
            let organization = find(service, &organization).await?;
            let tokens = service.list_tokens(organization.id).await.map_err(line)?;
            tokens.iter().try_for_each(|token| print(&ListedTokenLine::new(token)))
        }
        TokenCommand::Revoke { token_id } => {
            let id = TokenId::parse(&token_id).unwrap_or(TokenId::NONE);
            match service.revoke_token(id).await {
                Ok(token) => print(&ListedTokenLine::new(&token)),
                Err(Error::NotFound) => Err(format!("there is no token with the id {token_id}")),
                Err(error) => Err(line(error)),
            }
        }
    }
}

async fn question(service: &Service, command: QuestionCommand) -> Result<(), String> {
    let for_event = |event: &str, error| match error {
        Error::NotFound => format!("there is no event with the id {event}"),
        error => line(error),
    };
    match command {
        QuestionCommand::Add { event, label, kind, options, required } => {
            let new = NewQuestion { label, kind, options, required };
            let added = service.add_question(event_id(&event), &new).await;
            print(&QuestionLine::new(&added.map_err(|error| for_event(&event, error))?))
        }
        QuestionCommand::List { event } => {
            let questions = service.list_questions(event_id(&event)).await;
            let questions = questions.map_err(|error| for_event(&event, error))?;
            questions.iter().try_for_each(|question| print(&QuestionLine::new(question)))
        }
    }
}

async fn find(service: &Service, id_or_slug: &str) -> Result<Organization, String> {
    service.find_organization(id_or_slug).await.map_err(|error| match error {
        Error::NotFound => format!("there is no organization with the id or slug {id_or_slug}"),
        error => line(error),
    })
}

fn print(value: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string(value).map_err(|error| error.to_string())?;
    output::line(&text).map_err(|error| format!("cannot write the answer: {error}"))
}

fn line(error: Error) -> String {
    match error {
        Error::Invalid(faults) => faults.to_string(),
        error => WithSources(&error).to_string(),
    }
}

#[derive(Serialize)]
struct OrganizationLine<'a> {
    #[serde(flatten)]
    team: Team<'a>,
    plan: &'static str,
}

impl<'a> OrganizationLine<'a> {
    fn new(organization: &'a Organization) -> Self {
        Self { team: Team::new(organization), plan: organization.plan.name() }
    }
}

#[derive(Serialize)]
struct TokenLine<'a> {
    id: Text<TokenId>,
    organization_id: Text<OrganizationId>,
    name: &'a str,
    scopes: Vec<&'static str>,
    expires_at: Instant,
}

impl<'a> TokenLine<'a> {
    fn new(token: &'a Token) -> Self {
        Self {
            id: Text(token.id),
            organization_id: Text(token.organization),
            name: token.name.as_str(),
            scopes: token.scopes.iter().map(signup_core::Scope::name).collect(),
            expires_at: Instant(token.expires_at),
        }
    }
}

#[derive(Serialize)]
struct NewTokenLine<'a> {
    #[serde(flatten)]
    token: TokenLine<'a>,
    #[serde(rename = "token")]
    text: &'a str,
}

#[derive(Serialize)]
struct ListedTokenLine<'a> {
    #[serde(flatten)]
    token: TokenLine<'a>,
    created_at: Instant,
    revoked_at: Option<Instant>,
}

impl<'a> ListedTokenLine<'a> {
    fn new(token: &'a Token) -> Self {
        let (created_at, revoked_at) = (Instant(token.created_at), token.revoked_at.map(Instant));
        Self { token: TokenLine::new(token), created_at, revoked_at }
    }
}

#[derive(Serialize)]
struct QuestionLine<'a> {
    id: Text<QuestionId>,
    event_id: Text<EventId>,
    label: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    options: Vec<&'a str>,
    required: bool,
    position: u32,
}

impl<'a> QuestionLine<'a> {
    fn new(question: &'a Question) -> Self {
        Self {
            id: Text(question.id),
            event_id: Text(question.event),
            label: question.label.as_str(),
            kind: question.kind.name(),
            options: question.options.iter().map(signup_core::Label::as_str).collect(),
            required: question.required,
            position: question.position,
        }
    }
}

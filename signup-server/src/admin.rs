//! The management commands: organizations, tokens, questions, sign-ups and mails. Each prints one JSON object a line.

use std::fmt;

use serde::{Serialize, Serializer};
use signup_core::input::{NewOrganization, NewQuestion, NewToken};
use signup_core::{
    Admin, Answer, Error, EventId, Notice, NoticeId, Organization, OrganizationId, Question, QuestionId,
    Scopes, ShiftId, Signup, SignupId, SignupStatus, Token, TokenId,
};

use crate::config::{
    Command, NoticeCommand, OrganizationCommand, QuestionCommand, SignupCommand, TokenCommand, event_id,
};
use crate::output;
use crate::reply::WithSources;
use crate::wire::Instant;

/// The most records of one read from the store.
const PAGE_LIMIT: u32 = 500;

/// Runs a management command.
///
/// # Errors
/// Returns one line for the user.
pub(crate) async fn run(admin: &Admin, command: Command) -> Result<(), String> {
    match command {
        Command::Serve => Ok(()),
        Command::Organization(command) => organization(admin, command).await,
        Command::Token(command) => token(admin, command).await,
        Command::Question(command) => question(admin, command).await,
        Command::Signup(command) => signup(admin, command).await,
        Command::Notice(command) => notice(admin, command).await,
    }
}

async fn organization(admin: &Admin, command: OrganizationCommand) -> Result<(), String> {
    match command {
        OrganizationCommand::Create { name, plan, sport, public_url } => {
            let plan = plan.parse().map_err(|error| format!("--plan {error}"))?;
            let mut new = NewOrganization::new(name).plan(plan);
            (new.sport, new.public_url) = (sport, public_url);
            print(&OrganizationLine::new(&admin.create_organization(new).await.map_err(describe)?))
        }
        OrganizationCommand::List => {
            let mut after: Option<OrganizationId> = None;
            loop {
                let page = admin.organizations(after, PAGE_LIMIT).await.map_err(describe)?;
                let Some(last) = page.last() else { return Ok(()) };
                after = Some(last.id);
                page.iter().try_for_each(|organization| print(&OrganizationLine::new(organization)))?;
            }
        }
        OrganizationCommand::Plan { organization, plan } => {
            let plan = plan.parse().map_err(|error| format!("--plan {error}"))?;
            let organization = find(admin, &organization).await?;
            print(&OrganizationLine::new(&admin.set_plan(organization.id, plan).await.map_err(describe)?))
        }
    }
}

async fn token(admin: &Admin, command: TokenCommand) -> Result<(), String> {
    match command {
        TokenCommand::Create { organization, name, scopes, expires_in_days } => {
            let scopes = match scopes {
                Some(scopes) => scopes.parse().map_err(|error| format!("--scopes: {error}"))?,
                None => Scopes::all(),
            };
            let organization = find(admin, &organization).await?;
            let new = NewToken::new(name, scopes).expires_in_days(expires_in_days);
            let (token, text) = admin.create_token(organization.id, &new).await.map_err(describe)?;
            print(&NewTokenLine { token: TokenLine::new(&token), text: text.reveal() })
        }
        TokenCommand::List { organization } => {
            let organization = find(admin, &organization).await?;
            let tokens = admin.tokens(organization.id).await.map_err(describe)?;
            tokens.iter().try_for_each(|token| print(&ListedTokenLine::new(token)))
        }
        TokenCommand::Revoke { token_id } => {
            let id = token_id.parse().unwrap_or(TokenId::NONE);
            match admin.revoke_token(id).await {
                Ok(token) => print(&ListedTokenLine::new(&token)),
                Err(Error::NotFound) => Err(format!("there is no token with the id {token_id}")),
                Err(error) => Err(describe(error)),
            }
        }
    }
}

async fn question(admin: &Admin, command: QuestionCommand) -> Result<(), String> {
    let for_event = |event: &str, error| match error {
        Error::NotFound => format!("there is no event with the id {event}"),
        error => describe(error),
    };
    match command {
        QuestionCommand::Add { event, label, kind, options, required } => {
            let mut new = NewQuestion::new(label, kind);
            (new.options, new.required) = (options, required);
            let added = admin.add_question(event_id(&event), &new).await;
            print(&QuestionLine::new(&added.map_err(|error| for_event(&event, error))?))
        }
        QuestionCommand::List { event } => {
            let questions = admin.questions(event_id(&event)).await;
            let questions = questions.map_err(|error| for_event(&event, error))?;
            questions.iter().try_for_each(|question| print(&QuestionLine::new(question)))
        }
    }
}

async fn signup(admin: &Admin, command: SignupCommand) -> Result<(), String> {
    match command {
        SignupCommand::List { event, csv } => {
            let for_event = |error| match error {
                Error::NotFound => format!("there is no event with the id {event}"),
                error => describe(error),
            };
            let event = event_id(&event);
            let owner = admin.event_owner(event).await.map_err(for_event)?;
            let questions = admin.questions(event).await.map_err(for_event)?;
            let mut table = if csv { Some(CsvTable::begin(&questions)?) } else { None };
            let mut after: Option<SignupId> = None;
            loop {
                let page = admin.signups(owner, event, after, PAGE_LIMIT).await.map_err(describe)?;
                let Some(last) = page.last() else { return Ok(()) };
                after = Some(last.id);
                match &mut table {
                    Some(table) => table.print(&page)?,
                    None => page.iter().try_for_each(|signup| print(&SignupLine::new(signup)))?,
                }
            }
        }
        SignupCommand::Erase { email, organization } => {
            let organization = find(admin, &organization).await?;
            let erased = admin.erase_signups(organization.id, &email).await.map_err(describe)?;
            print(&ErasedLine { organization_id: Text(organization.id), erased })
        }
    }
}

async fn notice(admin: &Admin, command: NoticeCommand) -> Result<(), String> {
    match command {
        NoticeCommand::List { failed } => {
            let mut after: Option<NoticeId> = None;
            loop {
                let page = admin.notices(failed, after, PAGE_LIMIT).await.map_err(describe)?;
                let Some(last) = page.last() else { return Ok(()) };
                after = Some(last.id);
                page.iter().try_for_each(|notice| print(&NoticeLine::new(notice)))?;
            }
        }
        NoticeCommand::Retry { id: Some(id), .. } => {
            let notice = id.parse().unwrap_or(NoticeId::NONE);
            match admin.retry_notice(notice).await {
                Ok(notice) => print(&NoticeLine::new(&notice)),
                Err(Error::NotFound) => Err(format!("there is no notice with the id {id}")),
                Err(Error::NoticeNotFailed) => {
                    Err(format!("the notice {id} has not failed: it is tried until it is sent or given up"))
                }
                Err(error) => Err(describe(error)),
            }
        }
        NoticeCommand::Retry { id: None, .. } => {
            let mut after: Option<NoticeId> = None;
            loop {
                let page = admin.notices(true, after, PAGE_LIMIT).await.map_err(describe)?;
                let Some(last) = page.last() else { return Ok(()) };
                after = Some(last.id);
                for notice in page {
                    match admin.retry_notice(notice.id).await {
                        Ok(notice) => print(&NoticeLine::new(&notice))?,
                        // Another process retried or delivered it in between.
                        Err(Error::NotFound | Error::NoticeNotFailed) => {}
                        Err(error) => return Err(describe(error)),
                    }
                }
            }
        }
    }
}

async fn find(admin: &Admin, id_or_slug: &str) -> Result<Organization, String> {
    admin.find_organization(id_or_slug).await.map_err(|error| match error {
        Error::NotFound => format!("there is no organization with the id or slug {id_or_slug}"),
        error => describe(error),
    })
}

fn print(value: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string(value).map_err(|error| error.to_string())?;
    output::print_line(&text).map_err(|error| format!("cannot write the answer: {error}"))
}

fn describe(error: Error) -> String {
    match error {
        Error::Invalid(faults) => faults.to_string(),
        error => WithSources(&error).to_string(),
    }
}

/// Serializes a value as the string that it displays.
#[derive(Clone, Copy)]
struct Text<T>(T);

impl<T: fmt::Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[derive(Serialize)]
struct OrganizationLine<'a> {
    id: Text<OrganizationId>,
    name: &'a str,
    slug: &'a str,
    sport: Option<&'a str>,
    public_url: Option<&'a str>,
    created_at: Instant,
    plan: &'static str,
}

impl<'a> OrganizationLine<'a> {
    fn new(organization: &'a Organization) -> Self {
        Self {
            id: Text(organization.id),
            name: organization.name.as_str(),
            slug: &organization.slug,
            sport: organization.sport.as_ref().map(signup_core::Name::as_str),
            public_url: organization.public_url.as_ref().map(signup_core::WebAddress::as_str),
            created_at: Instant(organization.created_at),
            plan: organization.plan.name(),
        }
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

#[derive(Serialize)]
struct SignupLine<'a> {
    id: Text<SignupId>,
    event_id: Text<EventId>,
    slot_id: Text<ShiftId>,
    name: &'a str,
    email: &'a str,
    answers: Vec<AnswerLine<'a>>,
    status: &'static str,
    cancelled_at: Option<Instant>,
    created_at: Instant,
}

#[derive(Serialize)]
struct AnswerLine<'a> {
    question_id: Text<QuestionId>,
    label: &'a str,
    value: &'a str,
}

impl<'a> SignupLine<'a> {
    fn new(signup: &'a Signup) -> Self {
        let answer = |answer: &'a Answer| AnswerLine {
            question_id: Text(answer.question_id),
            label: answer.label.as_str(),
            value: answer.value.as_str(),
        };
        Self {
            id: Text(signup.id),
            event_id: Text(signup.event),
            slot_id: Text(signup.shift),
            name: signup.name.as_str(),
            email: signup.email.as_str(),
            answers: signup.answers.iter().map(answer).collect(),
            status: status(signup.status),
            cancelled_at: signup.cancelled_at.map(Instant),
            created_at: Instant(signup.created_at),
        }
    }
}

const fn status(status: SignupStatus) -> &'static str {
    match status {
        SignupStatus::Confirmed => "confirmed",
        SignupStatus::Cancelled => "cancelled",
    }
}

#[derive(Serialize)]
struct ErasedLine {
    organization_id: Text<OrganizationId>,
    /// The number of sign-ups that were erased.
    erased: u64,
}

/// Sign-ups as CSV (RFC 4180, except that rows end with a line feed alone).
struct CsvTable {
    questions: Vec<QuestionId>,
}

impl CsvTable {
    /// Prints the heading, with a column for each question that the event has now.
    fn begin(questions: &[Question]) -> Result<Self, String> {
        let fixed = ["id", "event_id", "slot_id", "name", "email", "status", "cancelled_at", "created_at"];
        let labels = questions.iter().map(|question| escape_formula(question.label.as_str()));
        row(fixed.into_iter().map(str::to_owned).chain(labels))?;
        Ok(Self { questions: questions.iter().map(|question| question.id).collect() })
    }

    fn print(&self, signups: &[Signup]) -> Result<(), String> {
        signups.iter().try_for_each(|signup| {
            let fixed = [
                signup.id.to_string(),
                signup.event.to_string(),
                signup.shift.to_string(),
                escape_formula(signup.name.as_str()),
                escape_formula(signup.email.as_str()),
                status(signup.status).to_owned(),
                signup.cancelled_at.map_or_else(String::new, |at| Instant(at).to_string()),
                Instant(signup.created_at).to_string(),
            ];
            let answers = self.questions.iter().map(|id| {
                let answer = signup.answers.iter().find(|answer| answer.question_id == *id);
                answer.map_or_else(String::new, |answer| escape_formula(answer.value.as_str()))
            });
            row(fixed.into_iter().chain(answers))
        })
    }
}

fn row(cells: impl Iterator<Item = String>) -> Result<(), String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(vec![]);
    let failed = |error: &dyn std::fmt::Display| format!("cannot write the table: {error}");
    writer.write_record(cells.collect::<Vec<_>>()).map_err(|error| failed(&error))?;
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| failed(&error))?;
    output::print_line(text.trim_end_matches('\n')).map_err(|error| failed(&error))
}

/// Prefixes text that could begin a formula with an apostrophe, so that a spreadsheet reads it as text (OWASP, CSV
/// Injection).
fn escape_formula(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}

#[derive(Serialize)]
struct NoticeLine<'a> {
    id: Text<NoticeId>,
    organization_id: Text<OrganizationId>,
    event_id: Text<EventId>,
    slot_id: Text<ShiftId>,
    signup_id: Option<Text<SignupId>>,
    cause: &'static str,
    created_at: Instant,
    attempts: u32,
    due_at: Instant,
    failed_at: Option<Instant>,
    reason: Option<&'a str>,
}

impl<'a> NoticeLine<'a> {
    fn new(notice: &'a Notice) -> Self {
        Self {
            id: Text(notice.id),
            organization_id: Text(notice.organization),
            event_id: Text(notice.event),
            slot_id: Text(notice.shift),
            signup_id: notice.cause.signup().map(Text),
            cause: notice.cause.name(),
            created_at: Instant(notice.created_at),
            attempts: notice.attempts,
            due_at: Instant(notice.due_at),
            failed_at: notice.failure.as_ref().map(|failure| Instant(failure.at)),
            reason: notice.failure.as_ref().map(|failure| failure.reason.as_str()),
        }
    }
}

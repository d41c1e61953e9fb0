//! The commands, and the flags of each.

use std::str::FromStr;

use clap::{ArgGroup, Subcommand};
use signup_core::{
    CancellationReason, Change, EmailAddress, Label, Name, PersonName, QuestionKind, Role, WebAddress,
};

use super::whole;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server (the default)
    Serve,
    /// Create, list and change organizations
    #[command(subcommand)]
    Organization(OrganizationCommand),
    /// Invite, list, remove and sign out the people who run events in the console
    #[command(subcommand)]
    Person(PersonCommand),
    /// Create, list and revoke API tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// List, show, cancel, delete and restore events. Events are created and published through the API, see /docs
    #[command(subcommand)]
    Event(EventCommand),
    /// Add and list the questions that people answer when they sign up
    #[command(subcommand)]
    Question(QuestionCommand),
    /// List sign-ups, and erase what is stored about a person
    #[command(subcommand)]
    Signup(SignupCommand),
    /// List emails that are queued or have failed, and send failed ones again
    #[command(subcommand)]
    Notice(NoticeCommand),
    /// List webhooks, and disable and enable them. They are created through the API, see /docs
    #[command(subcommand)]
    Webhook(WebhookCommand),
}

impl Command {
    /// Returns whether the command may make a new database file. Every other command works on data that exists, so a file
    /// that is missing is a mistake.
    pub(crate) const fn makes_database(&self) -> bool {
        matches!(self, Self::Serve | Self::Organization(OrganizationCommand::Create { .. }))
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum OrganizationCommand {
    /// Create an organization
    Create {
        /// The name of the organization, which volunteers see
        #[arg(long, value_parser = Name::new)]
        name: Name,
        /// The plan, which sets the limits: free, calendar, starter or pro
        #[arg(long, default_value = "free")]
        plan: String,
        /// The sport, if the organization is a sports team
        #[arg(long, value_parser = Name::new)]
        sport: Option<Name>,
        /// The organization's own web page, which begins with http:// or https://
        #[arg(long, value_name = "URL", value_parser = WebAddress::new)]
        public_url: Option<WebAddress>,
        /// The email address that volunteers can write to
        #[arg(long, value_name = "EMAIL", value_parser = EmailAddress::new)]
        contact: Option<EmailAddress>,
        /// The page that says what happens to people's data, which begins with http:// or https://
        #[arg(long, value_name = "URL", value_parser = WebAddress::new)]
        privacy_url: Option<WebAddress>,
    },
    /// List all organizations
    List,
    /// Change an organization's plan
    Plan {
        /// The organization: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        organization: String,
        /// The new plan: free, calendar, starter or pro
        #[arg(long)]
        plan: String,
    },
    /// Change an organization. What you leave out stays as it is, and so does the slug
    Update {
        /// The organization: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        organization: String,
        /// The new name, which volunteers see
        #[arg(long, value_parser = Name::new)]
        name: Option<Name>,
        /// The email address that volunteers can write to; "" removes it
        #[arg(long, value_name = "EMAIL", value_parser = change::<EmailAddress>)]
        contact: Option<Change<EmailAddress>>,
        /// The page that says what happens to people's data, which begins with http:// or https://; "" removes it
        #[arg(long, value_name = "URL", value_parser = change::<WebAddress>)]
        privacy_url: Option<Change<WebAddress>>,
        /// The sport, if the organization is a sports team; "" removes it
        #[arg(long, value_parser = change::<Name>)]
        sport: Option<Change<Name>>,
        /// The organization's own web page, which begins with http:// or https://; "" removes it
        #[arg(long, value_name = "URL", value_parser = change::<WebAddress>)]
        public_url: Option<Change<WebAddress>>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PersonCommand {
    /// Invite a person to an organization. The link is printed and emailed, and works for 7 days. Set --base-url as for the
    /// server
    Invite {
        /// The organization: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        organization: String,
        /// The person's email address
        #[arg(long, value_parser = EmailAddress::new)]
        email: EmailAddress,
        /// The person's name
        #[arg(long, value_parser = PersonName::new)]
        name: PersonName,
        /// What the person may do: organizer (run events), admin (also tokens, webhooks and members) or owner (everything)
        #[arg(long)]
        role: Role,
    },
    /// List an organization's members, owners first
    List {
        /// The organization: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        organization: String,
    },
    /// Remove a member from an organization. Its last owner stays
    Remove {
        /// The organization: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        organization: String,
        /// The member's email address
        #[arg(long, value_parser = EmailAddress::new)]
        email: EmailAddress,
    },
    /// Sign a person out in every browser
    SignOut {
        /// The person's email address
        #[arg(long, value_parser = EmailAddress::new)]
        email: EmailAddress,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token. It is shown once, so keep it in a safe place
    Create {
        /// The organization: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        organization: String,
        /// A name that tells you later what the token is for
        #[arg(long, value_parser = Name::new)]
        name: Name,
        /// What the token may do. Separate several with commas: events:read, events:write, slots:read, slots:write, team:read,
        /// signups:read, activity:read, webhooks:read, webhooks:write. Without this flag, it may do everything
        #[arg(long)]
        scopes: Option<String>,
        /// The number of days that the token works, from 1 to 365
        #[arg(long, value_name = "DAYS", default_value_t = 365,
            allow_negative_numbers = true, value_parser = whole(1_u32..=365))]
        expires_in_days: u32,
    },
    /// List an organization's tokens. The tokens themselves are not shown
    List {
        /// The organization: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        organization: String,
    },
    /// Revoke a token. It stops working within 5 seconds
    Revoke {
        /// The token's id, as "token list" shows it
        #[arg(long, value_name = "ID")]
        token_id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum EventCommand {
    /// List an organization's events: published ones, drafts and cancelled ones. Set --base-url as for the server, so that
    /// each public_url is right
    List {
        /// The organization: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        organization: String,
        /// List the deleted events instead
        #[arg(long)]
        deleted: bool,
    },
    /// Show an event with its shifts and questions, or a deleted event without them
    Show {
        /// The event: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        event: String,
    },
    /// Cancel an event for good. Each email address with a sign-up gets one email
    Cancel {
        /// The event: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        event: String,
        /// Why the event is cancelled. The emails and the public page show it
        #[arg(long, value_parser = CancellationReason::new)]
        reason: Option<CancellationReason>,
        /// Send no emails
        #[arg(long)]
        no_mail: bool,
    },
    /// Delete an event, unless people are signed up for shifts that are not over. You can restore it for 30 days
    Delete {
        /// The event: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        event: String,
    },
    /// Restore a deleted event as it was, with its shifts, questions and sign-ups. Set --plans as for the server
    Restore {
        /// The deleted event: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        event: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum QuestionCommand {
    /// Add a question that people answer when they sign up for the event
    Add {
        /// The event: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        event: String,
        /// The question, as people read it
        #[arg(long, value_parser = Label::new)]
        label: Label,
        /// How people answer: text, select (one of several options) or checkbox
        #[arg(long = "type", value_name = "TYPE", default_value = "text")]
        kind: QuestionKind,
        /// An option of a select. Give the flag once for each option
        #[arg(long = "option", value_name = "OPTION", value_parser = Label::new)]
        options: Vec<Label>,
        /// Require an answer: without it, people cannot sign up
        #[arg(long)]
        required: bool,
    },
    /// List an event's questions
    List {
        /// The event: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        event: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SignupCommand {
    /// List an event's sign-ups, cancelled ones too
    List {
        /// The event: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        event: String,
        /// Print a table for a spreadsheet (CSV), with a column for each question
        #[arg(long)]
        csv: bool,
    },
    /// Erase everything stored about a person in an organization, and free their places. No email is sent
    Erase {
        /// The person's email address
        #[arg(long, value_parser = EmailAddress::new)]
        email: EmailAddress,
        /// The organization: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        organization: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum NoticeCommand {
    /// List the emails that are queued
    List {
        /// List the emails that have failed instead
        #[arg(long)]
        failed: bool,
    },
    /// Send a failed email again
    #[command(group = ArgGroup::new("retried").args(["id", "failed"]).required(true))]
    Retry {
        /// The email's id, as "notice list --failed" shows it
        #[arg(long)]
        id: Option<String>,
        /// Send all failed emails again
        #[arg(long)]
        failed: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum WebhookCommand {
    /// List an organization's webhooks, newest first. Their secrets are not shown
    List {
        /// The organization: its id or its slug
        #[arg(long, value_name = "ID_OR_SLUG")]
        organization: String,
    },
    /// Disable a webhook. It receives no activity that happens from then on, and its pending deliveries wait
    Disable {
        /// The webhook's id, as "webhook list" shows it
        #[arg(long, value_name = "ID")]
        webhook_id: String,
    },
    /// Enable a webhook. Pending deliveries that are at most 30 days old go on
    Enable {
        /// The webhook's id, as "webhook list" shows it
        #[arg(long, value_name = "ID")]
        webhook_id: String,
    },
}

/// Parses the change of a field that may be empty. A blank text clears the field.
fn change<T: FromStr>(text: &str) -> Result<Change<T>, T::Err> {
    if text.trim().is_empty() { Ok(Change::Clear) } else { text.parse().map(Change::Set) }
}

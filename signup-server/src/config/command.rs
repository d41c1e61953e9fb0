//! The commands, and the flags of each.

use clap::Subcommand;
use signup_core::{CancellationReason, EmailAddress, Label, Name, QuestionKind, WebAddress};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server; the default command
    Serve,
    /// Manage organizations
    #[command(subcommand)]
    Organization(OrganizationCommand),
    /// Manage API tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// List, show, cancel, delete and restore events
    #[command(subcommand)]
    Event(EventCommand),
    /// Manage the questions that an event asks its volunteers
    #[command(subcommand)]
    Question(QuestionCommand),
    /// List and erase sign-ups
    #[command(subcommand)]
    Signup(SignupCommand),
    /// List queued and failed mails, and retry failed ones
    #[command(subcommand)]
    Notice(NoticeCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum OrganizationCommand {
    /// Create an organization
    Create {
        #[arg(long, value_parser = Name::new)]
        name: Name,
        /// free, calendar, starter or pro
        #[arg(long, default_value = "free")]
        plan: String,
        #[arg(long, value_parser = Name::new)]
        sport: Option<Name>,
        #[arg(long, value_parser = WebAddress::new)]
        public_url: Option<WebAddress>,
        #[arg(long, value_parser = EmailAddress::new)]
        contact: Option<EmailAddress>,
        #[arg(long, value_parser = WebAddress::new)]
        privacy_url: Option<WebAddress>,
    },
    /// List all organizations
    List,
    /// Change the plan of an organization
    Plan {
        /// The id or the slug of the organization
        #[arg(long)]
        organization: String,
        /// free, calendar, starter or pro
        #[arg(long)]
        plan: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token; its text is shown only once
    Create {
        /// The id or the slug of the organization
        #[arg(long)]
        organization: String,
        #[arg(long, value_parser = Name::new)]
        name: Name,
        /// events:read, events:write, slots:read, slots:write, team:read, signups:read, separated by commas; all by
        /// default
        #[arg(long)]
        scopes: Option<String>,
        /// Days until the token expires, 1 to 365
        #[arg(long, default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=365))]
        expires_in_days: u32,
    },
    /// List the tokens of an organization
    List {
        /// The id or the slug of the organization
        #[arg(long)]
        organization: String,
    },
    /// Revoke a token
    Revoke {
        #[arg(long)]
        token_id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum EventCommand {
    /// List the events of an organization: published ones, drafts and cancelled ones
    List {
        /// The id or the slug of the organization
        #[arg(long)]
        organization: String,
        /// List the deleted events instead
        #[arg(long)]
        deleted: bool,
    },
    /// Show an event with its slots and questions, or a deleted event without them
    Show {
        #[arg(long)]
        event: String,
    },
    /// Cancel an event for good, and its active sign-ups; each volunteer gets a mail
    Cancel {
        #[arg(long)]
        event: String,
        /// Why the event is cancelled: part of the mails, and of the public page
        #[arg(long, value_parser = CancellationReason::new)]
        reason: Option<CancellationReason>,
        /// Send no mails
        #[arg(long)]
        no_mail: bool,
    },
    /// Delete an event without active sign-ups; it can be restored for 30 days
    Delete {
        #[arg(long)]
        event: String,
    },
    /// Restore a deleted event as it was, with its slots, questions and sign-ups
    Restore {
        #[arg(long)]
        event: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum QuestionCommand {
    /// Add a question to an event
    Add {
        #[arg(long)]
        event: String,
        #[arg(long, value_parser = Label::new)]
        label: Label,
        /// text, select or checkbox
        #[arg(long = "type", default_value = "text")]
        kind: QuestionKind,
        /// A choice of a select; repeat the flag for each choice
        #[arg(long = "option", value_parser = Label::new)]
        options: Vec<Label>,
        /// Volunteers must answer the question
        #[arg(long)]
        required: bool,
    },
    /// List the questions of an event
    List {
        #[arg(long)]
        event: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SignupCommand {
    /// List the sign-ups of an event, including cancelled ones
    List {
        #[arg(long)]
        event: String,
        /// Print CSV, with a column for each question
        #[arg(long)]
        csv: bool,
    },
    /// Erase all data of a person, and free the person's places; no mail is sent
    Erase {
        /// The mail address, including one that the sign-up form no longer accepts
        #[arg(long, value_parser = EmailAddress::stored)]
        email: EmailAddress,
        /// The id or the slug of the organization
        #[arg(long)]
        organization: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum NoticeCommand {
    /// List the queued mails
    List {
        /// List the failed mails instead
        #[arg(long)]
        failed: bool,
    },
    /// Queue a failed mail again, with its attempts reset
    Retry {
        #[arg(long, required_unless_present = "failed")]
        id: Option<String>,
        /// Retry all failed mails
        #[arg(long, conflicts_with = "id")]
        failed: bool,
    },
}

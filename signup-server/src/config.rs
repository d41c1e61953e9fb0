//! The command line. Every setting in [`Options`] is a flag and an environment variable; the flag takes precedence.

mod command;
mod usage;

use std::ffi::OsString;
use std::fmt::Display;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::Resettable;
use clap::{Arg, Args, CommandFactory as _, FromArgMatches as _, Parser, ValueEnum};
use ipnet::IpNet;
use signup_core::{Networks, PlanTable};
use signup_store_sql::{PostgresUrl, PostgresUrlError};

pub(crate) use command::{
    Command, EventCommand, NoticeCommand, OrganizationCommand, PersonCommand, QuestionCommand, SignupCommand,
    TokenCommand, WebhookCommand,
};
pub(crate) use usage::usage_line;

use crate::mail::{HelloName, MailFrom, SmtpUrl};

/// Signup lets people sign up for the shifts of an event. Without a command, it runs the server.
#[derive(Debug, Parser)]
#[command(name = "signup-server", version)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What the help of a management command says in place of the server's options.
const SERVER_OPTIONS: &str = "Server options:
  The options for the database and the log work here, too. To see them, run: signup-server --help
";

impl Cli {
    /// Parses the arguments of this process.
    ///
    /// # Errors
    /// Returns the text of `--help` or `--version`, or the first mistake.
    pub(crate) fn from_arguments() -> clap::error::Result<Self> {
        Self::read(std::env::args_os())
    }

    /// Parses a command line, which begins with the name of the program.
    fn read(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> clap::error::Result<Self> {
        Self::from_arg_matches(&Self::definition().try_get_matches_from(arguments)?)
    }

    /// Returns the definition of the command line, in which the help of a management command leaves the server's options out.
    /// Only a few of them have an effect on a command.
    fn definition() -> clap::Command {
        let definition = Self::command().mut_args(without_empty_variable);
        let server_options = definition.get_arguments().filter(|argument| argument.is_global_set());
        let hidden: Vec<_> = server_options.map(|option| option.clone().hide(true)).collect();
        // clap gives a command every global option that the command does not define itself.
        let hide = |command: clap::Command| command.args(&hidden).after_help(SERVER_OPTIONS);
        definition.mut_subcommands(|command| match command.get_name() {
            "serve" => command,
            _ => hide(command).mut_subcommands(hide),
        })
    }

    /// Returns the filter of the log.
    ///
    /// The default is `info` for the server, and `warn` for a management command. Scripts read standard error, where a
    /// successful management command prints nothing.
    pub(crate) fn log_filter(&self) -> &str {
        let default = match self.command {
            None | Some(Command::Serve) => "info",
            Some(_) => "warn",
        };
        self.options.log.as_deref().unwrap_or(default)
    }
}

/// Takes an empty environment variable as one that is not set, as a line `SIGNUP_SMTP=` of an environment file means it.
fn without_empty_variable(option: Arg) -> Arg {
    let value = option.get_env().and_then(std::env::var_os);
    if value.is_some_and(|value| value.is_empty()) { option.env(Resettable::Reset) } else { option }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Server options")]
pub(crate) struct Options {
    /// The database: sqlite:PATH, postgres://USER:PASS@HOST:PORT/NAME (separate several with commas, if they are servers of one
    /// database), or memory: for a database that is lost when the server stops
    #[arg(
        long,
        env = "SIGNUP_DATABASE",
        hide_env_values = true,
        default_value = "sqlite:signup.db",
        global = true
    )]
    pub(crate) database: Database,
    /// The address and port to listen on. Port 0 picks a free port
    #[arg(long, env = "SIGNUP_LISTEN", default_value = "127.0.0.1:8080", global = true, value_parser = socket_address)]
    pub(crate) listen: SocketAddr,
    /// Base URL for links in responses, pages and emails [default: http:// and the address to listen on]
    #[arg(long, env = "SIGNUP_BASE_URL", global = true)]
    pub(crate) base_url: Option<BaseUrl>,
    /// A JSON file with the limits of every plan [default: built-in limits]
    #[arg(long, env = "SIGNUP_PLANS", global = true)]
    pub(crate) plans: Option<PathBuf>,
    /// The mail server: smtp://USER:PASS@HOST:PORT or smtps://… Without it, no email is sent: each is only written to the log
    #[arg(long, env = "SIGNUP_SMTP", hide_env_values = true, global = true)]
    pub(crate) smtp: Option<SmtpUrl>,
    /// The sender of emails. Emails from an organization have its name with this address
    #[arg(long, env = "SIGNUP_MAIL_FROM", default_value = "Signup <signup@localhost>", global = true)]
    pub(crate) mail_from: MailFrom,
    /// The name that the mail server is greeted with, such as signup.example.org or [192.0.2.1] [default: the host of the base URL]
    #[arg(long, env = "SIGNUP_MAIL_HELO", global = true)]
    pub(crate) mail_helo: Option<HelloName>,
    /// How many seconds the emails about a changed shift wait for further changes, from 0 to 300, so that several changes are
    /// one email. They never wait longer than 5 minutes in all. With 0 they are sent at once
    #[arg(long, env = "SIGNUP_CHANGE_MAIL_DELAY", default_value_t = 60, global = true,
        allow_negative_numbers = true, value_parser = whole(0_u32..=300))]
    pub(crate) change_mail_delay: u32,
    /// The addresses or networks of your proxies. Separate several with commas. Their X-Forwarded-For header is trusted
    #[arg(long, env = "SIGNUP_TRUSTED_PROXIES", global = true, value_delimiter = ',', value_parser = network)]
    pub(crate) trusted_proxies: Vec<IpNet>,
    /// How many MiB of memory the bodies of requests may take at once, from 16 to 65536. A client address gets at most a
    /// quarter. Requests beyond that get a 503
    #[arg(long, env = "SIGNUP_BODY_MEMORY_MIB", default_value_t = 64, global = true,
        allow_negative_numbers = true, value_parser = whole(16_usize..=65536))]
    pub(crate) body_memory_mib: usize,
    /// The addresses or networks that webhooks may reach besides public addresses, also with http. Separate several with commas
    #[arg(long, env = "SIGNUP_WEBHOOK_ALLOW", global = true, value_parser = networks)]
    pub(crate) webhook_allow: Option<Networks>,
    /// How many connections to PostgreSQL may be open, from 1 to 1000
    #[arg(long, env = "SIGNUP_DATABASE_CONNECTIONS", default_value_t = 8, global = true,
        allow_negative_numbers = true, value_parser = whole(1_u32..=1000))]
    pub(crate) database_connections: u32,
    /// How many seconds a request waits for a connection to PostgreSQL before it fails, from 1 to 60
    #[arg(long, env = "SIGNUP_DATABASE_CONNECT_TIMEOUT_S", default_value_t = 3, global = true,
        allow_negative_numbers = true, value_parser = whole(1_u64..=60))]
    pub(crate) database_connect_timeout_s: u64,
    /// How many seconds a statement on PostgreSQL may take, waits for locks included, from 1 to 600
    #[arg(long, env = "SIGNUP_DATABASE_STATEMENT_TIMEOUT_S", default_value_t = 5, global = true,
        allow_negative_numbers = true, value_parser = whole(1_u64..=600))]
    pub(crate) database_statement_timeout_s: u64,
    /// Set this if the database URL points to PgBouncer in transaction mode
    #[arg(long, env = "SIGNUP_PGBOUNCER", global = true, value_parser = clap::builder::BoolishValueParser::new())]
    pub(crate) pgbouncer: bool,
    /// The address and port where Prometheus finds /metrics [default: off]
    #[arg(long, env = "SIGNUP_METRICS_LISTEN", global = true, value_parser = socket_address)]
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// What the log on standard error shows, in the syntax of tracing [default: info for the server, warn for commands]
    #[arg(long, env = "SIGNUP_LOG", global = true, value_parser = log_filter)]
    pub(crate) log: Option<String>,
    /// The log format
    #[arg(long, env = "SIGNUP_LOG_FORMAT", default_value = "text", global = true)]
    pub(crate) log_format: LogFormat,
}

/// The database that the store opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Database {
    Memory,
    Sqlite(PathBuf),
    Postgres(Box<PostgresUrl>),
}

const DATABASE_HINT: &str = "use sqlite:PATH, postgres://USER:PASS@HOST:PORT/NAME, or memory:";

impl FromStr for Database {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("memory", "")) => Ok(Self::Memory),
            Some(("sqlite", path)) if !path.is_empty() => {
                // `sqlite:///path` is a URL with an empty host. The path of the file is `/path`.
                let path = path.strip_prefix("//").filter(|path| path.starts_with('/')).unwrap_or(path);
                Ok(Self::Sqlite(path.into()))
            }
            Some(("postgres" | "postgresql", _)) => {
                let url = text.parse().map_err(|error: PostgresUrlError| error.to_string())?;
                Ok(Self::Postgres(Box::new(url)))
            }
            _ => Err(DATABASE_HINT.to_owned()),
        }
    }
}

/// The prefix of URLs in responses and mails: scheme, host, and optionally a path, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BaseUrl(String);

impl BaseUrl {
    pub(crate) fn of(address: SocketAddr) -> Self {
        Self(format!("http://{address}"))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "use an address such as https://signup.example.org, without a query".to_owned();
        let url: warp::http::Uri = text.parse().map_err(|_| wrong())?;
        let is_web = matches!(url.scheme_str(), Some("http" | "https"))
            && url.host().is_some_and(|host| !host.is_empty());
        if !is_web || text.contains(['?', '#', '"', '\'', '<', '>', '\\']) {
            return Err(wrong());
        }
        Ok(Self(text.trim_end_matches('/').to_owned()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// Returns a parser of whole numbers within `range`.
fn whole<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("must be a whole number".to_owned());
        }
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("must be from {} to {}", range.start(), range.end()))
    }
}

fn socket_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "use an IP address and a port, such as 127.0.0.1:8080".to_owned())
}

const NETWORKS_HINT: &str = "use addresses or networks such as 10.0.0.0/8, and separate several with commas";

fn network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let address = || text.parse().map(|address: std::net::IpAddr| IpNet::from(address.to_canonical()));
    let network = text.parse().or_else(|_| address());
    network.map_err(|_| NETWORKS_HINT.to_owned())
}

fn networks(text: &str) -> Result<Networks, String> {
    text.parse().map_err(|_| NETWORKS_HINT.to_owned())
}

fn log_filter(text: &str) -> Result<String, String> {
    let filter: Result<tracing_subscriber::EnvFilter, _> = text.parse();
    filter.map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// Reads the limits of the plans from a JSON file. Without a path, returns the built-in limits.
///
/// # Errors
/// Returns one line for the operator if the file cannot be read or parsed, or if a plan allows no request or no day.
pub(crate) fn plans(path: Option<&Path>) -> Result<PlanTable, String> {
    let Some(path) = path else { return Ok(PlanTable::default()) };
    let wrong = |what: String| format!("the plans file {}: {what}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let plans: PlanTable = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    match plans.unusable() {
        Some(plan) => Err(wrong(format!("{plan} must allow at least one request a minute and one day"))),
        None => Ok(plans),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_definition_passes_the_checks_of_clap() {
        Cli::definition().debug_assert();
    }

    #[test]
    fn a_change_mail_waits_a_minute_unless_an_option_says_otherwise() {
        let delay = |arguments: &[&str]| Cli::read(arguments).unwrap().options.change_mail_delay;
        assert_eq!(delay(&["signup-server"]), 60);
        assert_eq!(delay(&["signup-server", "--change-mail-delay", "0"]), 0);
    }

    #[test]
    fn the_scheme_of_a_database_url_selects_the_store() {
        assert_eq!("memory:".parse(), Ok(Database::Memory));
        assert_eq!("sqlite:signup.db".parse(), Ok(Database::Sqlite("signup.db".into())));
        assert_eq!("sqlite:///var/signup.db".parse(), Ok(Database::Sqlite("/var/signup.db".into())));
        for url in ["postgres://a@b/c", "postgresql://d/c"] {
            assert_eq!(url.parse(), Ok(Database::Postgres(Box::new(url.parse().unwrap()))));
        }
        let two = "postgres://a@b/c,postgresql://d/c";
        for bad in ["", "sqlite:", "signup.db", "memory:x", "mysql://host", "postgres:x", two] {
            assert!(bad.parse::<Database>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_base_url_is_absolute_and_loses_its_last_slash() {
        assert_eq!("https://a.example/x/".parse::<BaseUrl>().unwrap().as_str(), "https://a.example/x");
        for bad in ["a.example", "/x", "ftp://a.example", "http://a.example/?x=1", ""] {
            assert!(bad.parse::<BaseUrl>().is_err(), "{bad}");
        }
    }
}

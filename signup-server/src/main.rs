//! The Signup service over HTTP: a thin mapping of requests, command lines and signals onto `signup_core::Service`.
//!
//! **Invariant:** no rule is decided here, and stores are named in this file only.

mod admin;
mod app;
mod config;
mod handlers;
mod openapi;
mod output;
mod reply;
mod request;
mod routes;
mod serve;
mod wire;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser as _;
use signup_core::input::{NewOrganization, NewToken};
use signup_core::{Name, Plan, Service, Store};
use signup_store_memory::MemoryStore;
use signup_store_sql::{ServingLock, SqliteStore};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

use app::App;
use config::{BaseUrl, Cli, Command, Database, LogFormat, Options};
use openapi::OpenApi;
use reply::WithSources;

/// How often what has expired is removed.
const PURGE_EVERY: Duration = Duration::from_secs(60);
/// How much of it at once, so that no request waits long for it.
const PURGE_BATCH: u32 = 500;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            // Help and version, which were asked for.
            return if error.print().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        Err(error) => {
            output::error_line(&usage_line(&error));
            return ExitCode::from(2);
        }
    };
    log(&cli.options);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let result = match runtime {
        Ok(runtime) => runtime.block_on(run(cli)),
        Err(error) => Err(format!("cannot start: {error}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            output::error_line(&line);
            ExitCode::FAILURE
        }
    }
}

/// What is wrong with the command line, on one line: all but the usage and the hints that clap adds.
fn usage_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let line = lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    format!("{line} (try --help)")
}

fn log(options: &Options) {
    let filter = tracing_subscriber::EnvFilter::new(&options.log);
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match options.log_format {
        LogFormat::Text => log.with_ansi(false).init(),
        LogFormat::Json => log.json().init(),
    }
}

async fn run(cli: Cli) -> Result<(), String> {
    let plans = config::plans(cli.options.plans.as_deref())?;
    let command = cli.command.unwrap_or(Command::Serve);
    // Taken before the database is opened: a second server must not even carry the tables forward.
    let lock = match (&cli.options.database, &command) {
        (Database::Sqlite(path), Command::Serve) => {
            Some(ServingLock::take(path).map_err(|error| line(&error))?)
        }
        _ => None,
    };
    let (store, sqlite): (Arc<dyn Store>, _) = match &cli.options.database {
        Database::Memory => (Arc::new(MemoryStore::new()), None),
        Database::Sqlite(path) => {
            let store = SqliteStore::open(path).await.map_err(|error| line(&error))?;
            (Arc::new(store.clone()), Some(store))
        }
    };
    let service = Service::new(store).with_plans(plans);
    let result = match command {
        Command::Serve => serve(service, cli.options).await,
        command => admin::run(&service, command).await,
    };
    if let Some(sqlite) = sqlite {
        sqlite.close().await;
    }
    drop(lock);
    result
}

async fn serve(service: Service, options: Options) -> Result<(), String> {
    // From here on a signal ends the server cleanly, whenever it comes.
    let end = ended_by_a_signal().map_err(|error| format!("cannot listen for signals: {error}"))?;
    let listener = TcpListener::bind(options.listen).await;
    let listener = listener.map_err(|error| format!("cannot listen on {}: {error}", options.listen))?;
    let address = listener.local_addr().map_err(|error| format!("cannot listen: {error}"))?;
    let base_url = options.base_url.unwrap_or_else(|| BaseUrl::of(address));
    let openapi =
        OpenApi::at(base_url.as_str()).map_err(|error| format!("the API's description: {error}"))?;
    create_starter(&service).await?;

    let purging = tokio::spawn(purge(service.clone()));
    let app = App::new(service, base_url.as_str(), options.trusted_proxies, openapi);
    output::line(&format!("listening on http://{address}"))
        .map_err(|error| format!("cannot print: {error}"))?;
    serve::serve(listener, app.filter(), end).await;
    purging.abort();
    tracing::info!("ended");
    Ok(())
}

/// Makes an organization and a token on a store that has none, so that a newcomer can begin.
async fn create_starter(service: &Service) -> Result<(), String> {
    let name = Name::new("Starter").map_err(|error| error.to_string())?;
    let new = NewOrganization { name: name.clone(), plan: Plan::Pro, sport: None, public_url: None };
    let created = service.create_first_organization(new, NewToken::with_every_scope(name)).await;
    match created.map_err(|error| line(&error))? {
        Some((_, token)) => {
            output::line(&format!("token: {}", token.reveal())).map_err(|error| error.to_string())
        }
        None => Ok(()),
    }
}

async fn purge(service: Service) {
    let mut interval = tokio::time::interval(PURGE_EVERY);
    loop {
        interval.tick().await;
        loop {
            match service.purge(PURGE_BATCH).await {
                Ok(purged) if purged == u64::from(PURGE_BATCH) => {}
                Ok(_) => break,
                Err(error) => {
                    tracing::warn!(error = %WithSources(&error), "what has expired was not purged; it will be later");
                    break;
                }
            }
        }
    }
}

fn ended_by_a_signal() -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate: Signal = signal(SignalKind::terminate())?;
    let mut interrupt: Signal = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

fn line(error: &(dyn std::error::Error + 'static)) -> String {
    WithSources(error).to_string()
}

//! The simulation: several processes over one store, for weeks, from one seed.
//!
//! Each run starts two or three services with the workers and the upkeep of the server. Organizers, volunteers and an operator use
//! them, while calls of the store and of the mail server are slow, fail, or take effect without an answer, and processes are
//! killed. Time is virtual, and everything random follows from the seed. So a run takes milliseconds, and a failure is repeated
//! exactly:
//!
//! - `SIMULATION_SEED=17 cargo test -p signup-server simulation` runs one seed, and prints a trace of its steps.
//! - `SIMULATION_RUNS=200000 cargo test --release -p signup-server simulation` runs the seeds from 0.
//!
//! The [`ledger`] notes each commit. What the mails tell and what the webhooks get is compared with it: at each commit, at each
//! mail, and when every queue is empty.
//!
//! **Invariant:** nothing here reads the system's clock, another random source, or the order of a hash map.

mod endpoints;
mod inbox;
mod invariants;
mod ledger;
mod notices;
mod process;
mod random;
mod requests;
mod run;
mod steps;
mod store;
mod waiting;
mod world;

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, Once};

/// The number of seeds that a plain `cargo test` runs.
const RUNS: u64 = 1000;

thread_local! {
    /// The first panic of the run on this thread. A panic of a worker's task would otherwise only be logged.
    static PANIC: RefCell<Option<Option<String>>> = const { RefCell::new(None) };
}

/// Keeps the panics of runs, and leaves the others to the hook that was there.
fn keep_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let is_kept = PANIC.with_borrow_mut(|panic| match panic {
                Some(first) => {
                    first.get_or_insert_with(|| info.to_string());
                    true
                }
                None => false,
            });
            if !is_kept {
                before(info);
            }
        }));
    });
}

/// The result of a run.
struct Outcome {
    failure: Option<String>,
    trace: Vec<String>,
    /// The number of mails that have arrived.
    mails: usize,
}

/// Runs one seed.
fn run(seed: u64, is_traced: bool) -> Outcome {
    keep_panics();
    // In a thread of its own, because the seed stays with the thread.
    signup_core::seed_thread(seed);
    PANIC.set(Some(None));
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        runtime.block_on(run::simulate(seed, is_traced))
    }));
    drop(runtime);
    let panic = PANIC.take().flatten();
    match ended {
        Ok(outcome) => Outcome { failure: outcome.failure.or(panic), ..outcome },
        Err(_) => Outcome { failure: panic, trace: vec![], mails: 0 },
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|value| value.parse().unwrap())
}

/// Runs the seeds that the environment asks for.
///
/// # Panics
/// Panics if a run breaks a promise.
pub(crate) fn check_seeds() {
    if let Some(seed) = number("SIMULATION_SEED") {
        let outcome = std::thread::spawn(move || run(seed, true)).join().unwrap();
        println!("{}", outcome.trace.join("\n"));
        assert_eq!(outcome.failure, None, "seed {seed}");
        return;
    }
    let (runs, next, failed) =
        (number("SIMULATION_RUNS").unwrap_or(RUNS), AtomicU64::new(0), Mutex::new(None));
    let mails = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= runs || failed.lock().unwrap().is_some() {
                        return;
                    }
                    let outcome = run(seed, false);
                    mails.fetch_add(outcome.mails as u64, Ordering::Relaxed);
                    if let Some(failure) = outcome.failure {
                        failed.lock().unwrap().get_or_insert((seed, failure));
                    }
                }
            });
        }
    });
    if let Some((seed, failure)) = failed.into_inner().unwrap() {
        panic!("seed {seed}: {failure}\nSIMULATION_SEED={seed} repeats it with a trace");
    }
    println!("{runs} runs with {} mails", mails.into_inner());
}

#[test]
fn whatever_fails_each_promise_holds() {
    check_seeds();
}

#[test]
fn a_seed_repeats_its_run_exactly() {
    for seed in 0..5 {
        let trace = || std::thread::spawn(move || run(seed, true).trace).join().unwrap();
        let (first, second) = (trace(), trace());
        let differs = first.iter().zip(&second).find(|(first, second)| first != second);
        assert_eq!(differs, None, "seed {seed}");
        assert_eq!(first.len(), second.len());
    }
}

//! SIGKILL while organizers send the forms of the console.
//!
//! What was acknowledged holds, a form that is sent again does nothing twice, and each mail is queued exactly once.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use rstest::rstest;

use crate::activity::{all_activity, types_by_event};
use crate::console::Organizer;
use crate::console_life::{Browser, ConsoleLife};
use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, client};
use crate::kills::{kills, until_killed};
use crate::mailbox::Mailbox;

/// The number of kills, unless the environment variable `CRASH_KILLS` sets it.
const KILLS: usize = 5;
const WRITERS: usize = 4;

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_keeps_what_the_forms_of_the_console_have_done(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let kills = kills(KILLS);
    let Some(server) = Server::start_with(engine) else { return };
    let mailbox = Mailbox::start();
    let smtp = mailbox.url();
    let arguments = ["--smtp", &smtp, "--trusted-proxies", "127.0.0.0/8"];
    let mut server = server.restart_with(&arguments);
    let cookie = Organizer::owner_of_starter(&server).await.cookie("signup").unwrap();
    let browser =
        Browser { client: client(), cookie: format!("signup={cookie}"), token: server.token.clone() };
    let mut lives = vec![];
    for round in 0..kills {
        let (url, browser) = (server.url.clone(), browser.clone());
        let live = move |writer, number: usize| {
            let (url, browser) = (url.clone(), browser.clone());
            let mut life = ConsoleLife::new((number * kills + round) * WRITERS + writer);
            async move {
                life.go_on(&browser, &url).await;
                let is_whole = life.acknowledged.len() == life.steps().len();
                (life, is_whole)
            }
        };
        lives.extend(until_killed(&mut server, WRITERS, round, live).await);
        // Ends the leases of the killed process, so that no mail has to wait for their expiry.
        server.sql("UPDATE notices SET due_at = 0").await;
        server = server.restart_with(&arguments);
    }
    let cut: Vec<_> = lives
        .iter()
        .filter_map(|life| life.steps().get(life.acknowledged.len()))
        .map(|step| format!("{step:?}"))
        .collect();
    assert_eq!(cut.len(), kills * WRITERS, "each kill cuts a life of each writer");
    println!("{kills} kills cut {} of {} lives, at {:?}", cut.len(), lives.len(), BTreeSet::from_iter(cut));

    let activity = all_activity(&server).await;
    let by_event = types_by_event(&activity);
    for life in &lives {
        if let Some(id) = life.id() {
            life.check(&by_event[id]);
        }
    }
    for life in &mut lives {
        life.go_on(&browser, &server.url).await;
        assert_eq!(life.acknowledged.len(), life.steps().len());
        life.repeat(&browser, &server.url).await;
        life.check_end(&server).await;
    }
    let activity = all_activity(&server).await;
    let by_event = types_by_event(&activity);
    assert_eq!(by_event.len(), lives.len(), "no event was created twice");
    lives.iter().for_each(|life| life.check(&by_event[life.id().unwrap()]));

    let limit = Duration::from_secs(60 + lives.len() as u64);
    server.wait_for_sql("SELECT CAST(count(*) AS TEXT) FROM notices", "0", limit).await;
    // A mail in flight at a kill is sent again under the same Message-ID, so each Message-ID is one queued mail.
    let mut queued: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for mail in mailbox.mails() {
        // What the mail is about, without the title of the event.
        let about = mail.header("subject").split(": ").next().unwrap().to_owned();
        queued.entry((mail.to.clone(), about)).or_default().insert(mail.header("message-id"));
    }
    for life in &lives {
        // An invitation that is sent again replaces the one before.
        let invitations = queued.remove(&(life.invited(), "Invitation to Starter".to_owned())).unwrap();
        assert!(invitations.len() <= life.invitations, "life {}: {invitations:?}", life.number);
        let mut sent = vec![(life.address(1), "Cancelled".to_owned())];
        if life.is_cancelled_in_the_end() {
            sent.push((life.address(0), "Cancelled".to_owned()));
        } else {
            // The place is not cancelled before the message is mailed.
            sent.push((life.address(0), life.subject()));
        }
        for key in sent {
            assert!(queued.contains_key(&key), "life {}: {key:?} was not queued", life.number);
        }
    }
    let many: Vec<_> = queued.iter().filter(|(_, mails)| mails.len() > 1).collect();
    assert!(many.is_empty(), "queued more than once: {many:?}");
    println!("{} mails were queued, each once", queued.len());
}

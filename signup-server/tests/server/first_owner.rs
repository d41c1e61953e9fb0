//! The link of the first owner.

use crate::harness::Server;

/// Opens a link as a browser does that is not signed in, and sends its form.
pub(crate) async fn accept(server: &Server, link: &str, form: &[(&str, &str)]) {
    let path = link.strip_prefix(&server.url).unwrap();
    let request = server.request("POST", path).header("sec-fetch-site", "same-origin");
    let accepted = request.form(form).send().await.unwrap();
    assert_eq!(accepted.status(), 303, "{}", accepted.text().await.unwrap());
}

#[tokio::test]
async fn the_first_start_prints_a_link_that_makes_the_first_owner() {
    let server = Server::start_on_sqlite();
    let secret = server.console.strip_prefix(&format!("{}/invitations/", server.url)).unwrap();
    assert_eq!(secret.len(), 43);
    let form = [
        ("name", "Ada Lovelace"),
        ("email", "ada@example.org"),
        ("organization_name", "Riverside Food Bank"),
        ("contact", "help@riverside.example"),
    ];
    accept(&server, &server.console, &form).await;
    let member = server.command("person list --organization riverside-food-bank");
    assert_eq!([&member["email"], &member["role"]], ["ada@example.org", "owner"]);
    assert_eq!(server.get("/v1/team").await.data()["name"], "Riverside Food Bank");
    let another = server.restart_with(&[]);
    assert_eq!(another.console, "", "the store has an organization");
}

#[test]
fn the_link_of_the_first_owner_begins_with_the_base_url() {
    let server = Server::start(&["--base-url", "https://signup.example.org/base"]);
    let link = &server.console;
    assert!(link.starts_with("https://signup.example.org/base/invitations/"), "{link}");
}

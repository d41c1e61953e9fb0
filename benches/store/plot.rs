//! Plot of the growth: a chart for each engine and each kind of growing records, with two logarithmic axes.

use std::ops::Range;
use std::path::PathBuf;

use plotters::prelude::*;
use signup_benches::{Growth, folder};

/// The width and height of one chart in pixels.
const SIZE: (u32, u32) = (640, 420);

/// Draws all charts into one file in the folder of the results, two in a row.
pub(crate) fn draw(growth: &[Growth]) -> PathBuf {
    let file = folder().join("growth.svg");
    let rows = growth.len().div_ceil(2);
    {
        let size = (2 * SIZE.0, u32::try_from(rows).unwrap() * SIZE.1);
        let picture = SVGBackend::new(&file, size).into_drawing_area();
        picture.fill(&WHITE).unwrap();
        let costs = decades(growth);
        for (growth, area) in growth.iter().zip(picture.split_evenly((rows, 2))) {
            chart(growth, costs.clone(), &area);
        }
        picture.present().unwrap();
    }
    file
}

/// Returns the range of powers of ten that contains all costs, and one more for the legend. All charts share the range, so
/// that they can be compared.
fn decades(growth: &[Growth]) -> Range<f64> {
    let curves = || growth.iter().flat_map(|growth| &growth.curves);
    let exponents = || curves().flat_map(|curve| &curve.costs).map(|cost| cost.log10());
    let (least, most) = (exponents().fold(f64::MAX, f64::min), exponents().fold(f64::MIN, f64::max));
    10_f64.powf(least.floor())..10_f64.powf(most.ceil() + 1.0)
}

fn chart(growth: &Growth, costs: Range<f64>, area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>) {
    let (first, last) = (f64::from(growth.sizes[0]), f64::from(*growth.sizes.last().unwrap()));
    let mut chart = ChartBuilder::on(area)
        .caption(&growth.title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d((first..last).log_scale(), costs.log_scale())
        .unwrap();
    let mut mesh = chart.configure_mesh();
    mesh.x_desc("number of records").y_desc("µs per call").light_line_style(TRANSPARENT);
    mesh.x_label_formatter(&|x| format!("{x:.0}")).y_label_formatter(&|y| format!("{y:.0}")).draw().unwrap();
    for (number, curve) in growth.curves.iter().enumerate() {
        let style = Palette99::pick(number).stroke_width(2);
        let points = growth.sizes.iter().map(|size| f64::from(*size)).zip(curve.costs.iter().copied());
        let line = LineSeries::new(points, style).point_size(3);
        let line = chart.draw_series(line).unwrap().label(&curve.operation);
        line.legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .draw()
        .unwrap();
}

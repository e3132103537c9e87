import Arguments
import Engine
import Files
import Foundation
import Imaging
import ModelTools
import StyleTransfer

/// `atelier quality`: what one pass of a gallery's network is worth in steps of optimisation.
enum QualityCommand: Command {
  static let syntax = CommandSyntax(
    "quality", summary: "Compares a style's network with optimisation, photo by photo.",
    operands: [.init("PHOTO", .atLeastOne, help: "Photos that were not trained on.")],
    options: [
      .init("style", value: "NAME", isRequired: true, help: "A style of the gallery."),
      .init("painting", value: "FILE", isRequired: true, help: "The painting it learned from."),
      .init("csv", value: "FILE", isRequired: true, help: "Results; rows that are there are kept."),
      .init(
        "start", value: "START",
        help: "Where optimisation starts: photo, or noise; photo unless told otherwise."),
      .init("size", value: "N", help: "The longer side, in pixels; 512 unless told otherwise."),
      .init("limit", value: "N", help: "The most steps; 100 unless told otherwise."),
      ModelOptions.computeUnits, ModelOptions.threads, ModelOptions.noTuning,
    ])

  static func run(_ arguments: ParsedArguments) throws {
    let size: Int = try arguments.integer("size", in: 64...4096) ?? 512
    let limit: Int = try arguments.integer("limit", in: 1...10_000) ?? 100
    let starts: [String] = PassComparison.Start.allCases.map(\.rawValue)
    let start: PassComparison.Start =
      try arguments.choice("start", of: starts).flatMap { PassComparison.Start(rawValue: $0) }
      ?? .photo
    let entry: StyleGallery.Entry = try StyleGallery.installed().entry(
      arguments.value("style") ?? "")
    let painting: URL = try checked(arguments.value("painting") ?? "", entry.card)
    let configuration = try ModelOptions(arguments).configuration
    let options: ExecutionOptions = configuration.executionOptions()
    let settings: StyleTrainingSettings = try settings(of: entry.card)
    let network = try FeatureNetwork(contentsOf: try ModelLocation.resolve("vgg16"))
    var loss = PerceptualLoss.forTraining
    loss.styleWeight *= settings.styleFactor
    loss.smoothness *= settings.smoothness
    let targets = try StyleTargets(
      of: try Picture(contentsOf: painting).asStylePicture(texelDensity: settings.texelDensity),
      by: network, layers: loss.styleLayers, options: options)
    let painter = try Painter(
      contentsOf: try entry.model(lite: false), configuration: configuration)

    let csv = URL(fileURLWithPath: arguments.value("csv") ?? "")
    var table = QualityTable(contentsOf: csv)
    for path in arguments.operands {
      let name: String = URL(fileURLWithPath: path).lastPathComponent
      guard !table.has(style: entry.card.name, photo: name, start: start) else { continue }
      let original: Picture = try Picture(contentsOfFile: path).withoutAlpha
      let photo: Picture = try original.scaled(to: original.size.scaled(toLongerSide: size))
      let painted: Picture = try painter.paint(photo).picture
      let result: PassComparison = try Interruption.stoppable {
        try PassComparison(
          photo: photo, painting: painted, targets: targets, loss: loss, network: network,
          start: start, limit: limit, options: options,
          report: { _, _ in !Interruption.wantsToStop })
      }
      let row = QualityTable.Row(
        style: entry.card.name, photo: name, start: start, startLoss: result.start,
        passLoss: result.pass, iterations: result.equivalent, steps: result.steps.count,
        lastLoss: result.steps.last ?? result.start)
      table.rows.append(row)
      try Interruption.protected {
        try WholeFile.write(Data(table.text.utf8), to: csv.path)
      }
      Output.line(row.text)
    }
    Output.write("\n" + table.markdown)
  }

  /// The painting's file, if it is the one on the card.
  private static func checked(_ path: String, _ card: StyleCard) throws -> URL {
    let file = URL(fileURLWithPath: path)
    guard let data = try? Data(contentsOf: file) else {
      throw CommandError("Painting '\(path)' cannot be read. Check the path.")
    }
    guard SHA256.hexDigest(of: data) == card.source.sha256 else {
      throw CommandError(
        "Painting '\(path)' is not the one that '\(card.name)' learned from, which is"
          + " '\(card.source.file)'.")
    }
    return file
  }

  private static func settings(of card: StyleCard) throws -> StyleTrainingSettings {
    let model: StyleCard.Model? = card.models.first { $0.file == StyleCard.modelFile }
    let data: Data = try JSONEncoder().encode(model?.settings ?? [:])
    guard let settings = try? JSONDecoder().decode(StyleTrainingSettings.self, from: data) else {
      throw CommandError("The card of '\(card.name)' does not say how the network was trained.")
    }
    return settings
  }
}

/// The results so far, as a file and as a table for people.
struct QualityTable {
  /// A photo in a style.
  struct Row {
    let style: String
    let photo: String
    let start: PassComparison.Start
    let startLoss: Double
    let passLoss: Double
    /// The step that came as far as the network, if one did.
    let iterations: Int?
    /// The steps that were made.
    let steps: Int
    let lastLoss: Double

    var text: String {
      let numbers: [String] = [startLoss, passLoss].map { $0.text(decimals: 5) }
      let reached: String = iterations.map { String($0) } ?? ""
      return
        ([style, photo, start.rawValue] + numbers + [
          reached, String(steps), lastLoss.text(decimals: 5),
        ])
        .joined(separator: ",")
    }
  }

  var rows: [Row] = []
  private static let heading = "style,photo,start,start_loss,pass_loss,iterations,steps,last_loss"

  init(contentsOf file: URL) {
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return }
    rows = text.split(separator: "\n").dropFirst().compactMap { (line: Substring) -> Row? in
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard cells.count == 8, let start = PassComparison.Start(rawValue: cells[2]),
        let startLoss = Double(cells[3]), let pass = Double(cells[4]), let steps = Int(cells[6]),
        let last = Double(cells[7])
      else { return nil }
      return Row(
        style: cells[0], photo: cells[1], start: start, startLoss: startLoss, passLoss: pass,
        iterations: Int(cells[5]), steps: steps, lastLoss: last)
    }
  }

  func has(style: String, photo: String, start: PassComparison.Start) -> Bool {
    rows.contains { $0.style == style && $0.photo == photo && $0.start == start }
  }

  var text: String { ([Self.heading] + rows.map(\.text)).joined(separator: "\n") + "\n" }

  /// One line a style and start: photos, losses (medians), and steps of L-BFGS (least, median, most).
  var markdown: String {
    var lines: [String] = [
      "| style | start | photos | loss there | of one pass | steps of L-BFGS: least | median | most |",
      "|---|---|---|---|---|---|---|---|",
    ]
    var styles: [String] = []
    for row in rows where !styles.contains(row.style) { styles.append(row.style) }
    for start in PassComparison.Start.allCases {
      for style in styles {
        let own: [Row] = rows.filter { $0.style == style && $0.start == start }
        if !own.isEmpty { lines.append(Self.line(style, start, own)) }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(_ style: String, _ start: PassComparison.Start, _ rows: [Row]) -> String
  {
    // Where no step came as far, the limit was not enough.
    let counts: [(value: Int, isOpen: Bool)] = rows.map {
      ($0.iterations ?? $0.steps, $0.iterations == nil)
    }.sorted { $0.value < $1.value || $0.value == $1.value && !$0.isOpen && $1.isOpen }
    func text(_ count: (value: Int, isOpen: Bool)) -> String {
      count.isOpen ? "over \(count.value)" : String(count.value)
    }
    let cells: [String] = [
      style, start.rawValue, String(rows.count), median(rows.map(\.startLoss)).text(decimals: 3),
      median(rows.map(\.passLoss)).text(decimals: 3), text(counts[0]),
      text(counts[counts.count / 2]), text(counts[counts.count - 1]),
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

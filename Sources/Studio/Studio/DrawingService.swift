import Files
import Foundation
import Imaging
import Platform
import Service

/// Teaches a model the labels of drawings. A few labelled drawings update the model, which then classifies other
/// drawings.
///
/// The service stores the drawings with their labels, and the updated model. If an example is removed, the service
/// updates the original model again with the remaining examples.
///
/// `@unchecked Sendable`: the state is only accessed under the lock.
final class DrawingService: @unchecked Sendable {
  /// A drawing with the label that the user gave it. The drawing is a file named by `id`.
  struct Example: Codable, Sendable {
    let id: String
    let label: String
  }

  /// The classification of a drawing.
  struct Answer: Codable, Sendable {
    let label: String
    let probabilities: [String: Double]
  }

  private struct State {
    var examples: [Example] = []
    var isLoaded = false
  }

  private let home: URL
  private let pages: Pages
  private let own: any ModelWorker
  private let foreign: any ModelWorker
  private let state = Locked(State())
  private static let mostExamples = 600
  /// The longer side of a stored drawing, in pixels.
  private static let longestSide = 512

  /// Creates a service that has not loaded its examples yet.
  ///
  /// - Parameters:
  ///   - own: The worker for the project's model.
  ///   - foreign: The worker for a model that the user gave.
  init(_ data: URL, pages: Pages, own: any ModelWorker, foreign: any ModelWorker) {
    home = data.appendingPathComponent("drawings", isDirectory: true)
    self.pages = pages
    self.own = own
    self.foreign = foreign
  }

  private var list: URL { home.appendingPathComponent("examples.json") }
  private var base: URL { home.appendingPathComponent("base.mlmodel") }
  private var taught: URL { home.appendingPathComponent("taught.mlmodel") }
  private func picture(_ id: String) -> URL { home.appendingPathComponent("\(id).png") }

  /// The examples. The oldest example is first.
  var examples: [Example] {
    get throws { try state.withLock { try loaded(&$0).examples } }
  }

  /// Whether the service updates the project's model. False if the user gave another model.
  var isOwn: Bool { !FileManager.default.fileExists(atPath: base.path) }
  private var worker: any ModelWorker { isOwn ? own : foreign }

  /// Returns the PNG file of an example's drawing.
  func data(_ id: String) throws -> Data {
    guard try examples.contains(where: { $0.id == id }),
      let data = try? Data(contentsOf: picture(id))
    else { throw HTTPError.missing("drawing of that name") }
    return data
  }

  /// Adds an example, and updates the model with it.
  func teach(_ drawing: Data, _ label: String) throws -> Example {
    let original = try DrawingTraining.decoded(drawing)
    // Drawings are stored small, because the removal of one drawing updates the original model with all the others.
    let picture = try original.scaled(
      to: original.size.scaled(toLongerSide: min(Self.longestSide, original.size.longerSide)))
    return try state.withLock { state in
      try loaded(&state)
      guard state.examples.count < Self.mostExamples else {
        throw HTTPError(
          409, "too_many_examples",
          "\(Self.mostExamples) drawings are stored, which is the limit. Remove some first.")
      }
      let example = Example(id: makeIdentifier("d"), label: label)
      let png = try picture.encoded(as: .png)
      try learn([(png, label)], start(state))
      try WholeFile.write(png, to: self.picture(example.id).path)
      state.examples.append(example)
      try save(state)
      return example
    }
  }

  /// Removes an example, or all examples if `id` is nil, and updates the original model with the remaining examples.
  func forget(_ id: String?) throws {
    try state.withLock { state in
      try loaded(&state)
      let gone = state.examples.filter { id == nil || $0.id == id }
      guard id == nil || !gone.isEmpty else { throw HTTPError.missing("drawing of that name") }
      state.examples.removeAll { example in gone.contains { $0.id == example.id } }
      try relearn(&state)
      for example in gone { try? FileManager.default.removeItem(at: picture(example.id)) }
    }
  }

  /// Changes to another model, or to the project's model if `model` is nil. Updates the new model with all examples.
  func use(_ model: URL?) throws {
    if let model {
      let canLearn = try waited { [foreign] in
        try await foreign.answer(.canLearn, about: model).value([String: Bool].self)
      }
      guard canLearn[""] == true else {
        throw HTTPError(
          422, "not_updatable",
          "The model cannot learn labels from pictures: it is not updatable, or has other training"
            + " inputs.")
      }
    }
    try state.withLock { state in
      try loaded(&state)
      if let model {
        try WholeFile.write(try Data(contentsOf: model), to: base.path)
      } else {
        try? FileManager.default.removeItem(at: base)
      }
      try relearn(&state)
    }
  }

  /// Classifies a drawing. Returns nil if there are no examples.
  func answer(_ drawing: Data) throws -> Answer? {
    let file: URL? = try state.withLock { state in
      try loaded(&state)
      return state.examples.isEmpty ? nil : try start(state)
    }
    guard let file else { return nil }
    return try waited { [worker] in
      try await worker.answer(.recognize, about: file, ["drawing": drawing]).value()
    }
  }

  /// Opens the file of the updated model, or of the original model if there are no examples.
  func modelFile() throws -> OpenFile {
    try state.withLock { state in
      try loaded(&state)
      return try OpenFile(start(state))
    }
  }

  // MARK: Learning

  /// Returns the file of the model with which the next update starts: the updated model, or the original model if there
  /// are no examples.
  private func start(_ state: State) throws -> URL {
    if !state.examples.isEmpty, FileManager.default.fileExists(atPath: taught.path) {
      return taught
    }
    if FileManager.default.fileExists(atPath: base.path) { return base }
    let own = home.appendingPathComponent("own.mlmodel")
    guard let bytes = pages.bytes("drawing.mlmodel") else {
      throw HTTPError.missing("drawing model")
    }
    if (try? Data(contentsOf: own)) != Data(bytes) {
      try WholeFile.write(Data(bytes), to: own.path)
    }
    return own
  }

  private func relearn(_ state: inout State) throws {
    try? FileManager.default.removeItem(at: taught)
    if !state.examples.isEmpty {
      try learn(
        state.examples.map { (try Data(contentsOf: picture($0.id)), $0.label) }, start(state))
    }
    try save(state)
  }

  @discardableResult
  private func loaded(_ state: inout State) throws -> State {
    guard !state.isLoaded else { return state }
    try FileManager.default.createDirectory(
      at: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    if let data = try? Data(contentsOf: list) {
      state.examples = (try? JSONDecoder().decode([Example].self, from: data)) ?? []
    }
    state.isLoaded = true
    return state
  }

  private func save(_ state: State) throws {
    try WholeFile.write(try JSONEncoder().encode(state.examples), to: list.path)
  }

  /// Updates a model file with examples, and stores the updated model.
  private func learn(_ examples: [(Data, String)], _ file: URL) throws {
    var files: [String: Data] = [:]
    for (index, example) in examples.enumerated() { files["\(index)"] = example.0 }
    let request = ModelRequest.learn(labels: examples.map(\.1), target: taught)
    _ = try waited { [worker, files] in
      try await worker.answer(request, about: file, files)
    }
  }
}

/// `/v1/updates`.
extension Studio {
  private struct Progress: Encodable {
    let isOwn: Bool
    let examples: [DrawingService.Example]
  }

  func addDrawing(to router: inout Router) {
    let progress = { @Sendable [self] in
      try HTTPResponse.json(Progress(isOwn: drawings.isOwn, examples: try drawings.examples))
    }
    router.add("GET", "/v1/updates") { _, _ in try await offload { try progress() } }
    router.add("DELETE", "/v1/updates") { [self] _, _ in
      try await offload { [drawings] in try drawings.forget(nil) }
      return .done
    }
    router.add("POST", "/v1/updates/examples", limit: 1 << 20) { [self] request, _ in
      let fields = try Fields(request)
      guard let label = fields.text("label"), label.count <= 40, !label.contains(where: \.isNewline)
      else {
        throw HTTPError(400, "bad_field", "'label' is missing, or longer than 40 characters.")
      }
      let drawing = try drawing(fields)
      let example = try await quick.run(Self.queueClient(request.head)) { [drawings] in
        try await offload { try drawings.teach(drawing, label) }
      }
      return try .json(example, status: 201)
    }
    router.add("GET", "/v1/updates/examples/{id}") { [self] _, parts in
      HTTPResponse(type: "image/png", try drawings.data(parts["id"] ?? ""))
    }
    router.add("DELETE", "/v1/updates/examples/{id}") { [self] _, parts in
      try await offload { [drawings] in try drawings.forget(parts["id"] ?? "") }
      return .done
    }
    router.add("POST", "/v1/updates/predict", limit: 1 << 20) { [self] request, _ in
      let drawing = try drawing(try Fields(request))
      let answer = try await quick.run(Self.queueClient(request.head)) { [drawings] in
        try await offload { try drawings.answer(drawing) }
      }
      guard let answer else {
        throw HTTPError(409, "nothing_taught", "There are no examples yet. Send some first.")
      }
      return try .json(answer)
    }
    router.add("GET", "/v1/updates/model") { [self] _, _ in
      let file = try await offload { [drawings] in try drawings.modelFile() }
      return HTTPResponse(
        200, headers: [("Content-Type", "application/octet-stream")], body: .file(file))
    }
    router.add("POST", "/v1/updates/base", limit: 4096) { [self] request, _ in
      let model = try Fields(request).text("model")
      let file = try model.map { try models.entry($0).file }
      try await offload { [drawings] in try drawings.use(file) }
      return try progress()
    }
  }

  private func drawing(_ fields: Fields) throws -> Data {
    guard let data = fields.file("drawing"), !data.isEmpty else {
      throw HTTPError(
        400, "no_drawing", "The body is empty. Send the drawing as PNG, white on black.")
    }
    return data
  }
}

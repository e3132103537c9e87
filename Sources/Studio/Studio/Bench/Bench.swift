import Foundation
import Imaging
import Service

/// A place where models work: in this process, or in one beside it that may fall over.
protocol Bench: Sendable {
  /// Answers a question about a model.
  ///
  /// - Parameters:
  ///   - file: the model.
  ///   - files: the pictures that belong to the question, by name.
  ///   - progress: told the share of the work that is done.
  func answer(
    _ question: BenchQuestion, about file: URL, _ files: [String: Data],
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> BenchAnswer
}

extension Bench {
  /// As above, where nobody watches.
  func answer(
    _ question: BenchQuestion, about file: URL, _ files: [String: Data] = [:]
  ) async throws -> BenchAnswer {
    try await answer(question, about: file, files) { _ in }
  }
}

/// What is asked of a model.
enum BenchQuestion: Codable, Sendable {
  /// What it is good for: a ``ModelShelf/Kind``.
  case kind
  /// What it takes and gives, with what is known of it already.
  case details(ModelWords)
  /// Its layers.
  case graph(title: String)
  /// The time of each layer.
  case profile(title: String, Units)
  /// A prediction: inputs as JSON, pictures among the files.
  case predict(inputs: Data)
  /// A prediction as the JSON document of a request states it, ``document`` among the files: `{"inputs": {…}}`.
  case predictDocument
  /// Unpacks an archive into a package where the question's file is to be; JSON follows that says nothing.
  case unpack(archive: URL, most: Int)
  /// What the file `photo` shows: ``Guess``es.
  case classify(Units, top: Int)
  /// A painting of the file `photo`.
  case paint(PaintOrder)
  /// Whether it learns labels from pictures.
  case canLearn
  /// Learns the files `0`, `1`, … with their labels, and writes what it has become.
  case learn(labels: [String], target: URL)
  /// What the file `drawing` is taken for: a ``DrawingClass/Answer``.
  case recognize

  /// The name of a document's file.
  static let document = "document"
}

/// What a model is to paint.
struct PaintOrder: Codable, Sendable {
  /// What errors call the model.
  let title: String
  let units: Units
  /// The longer side of the painting in pixels; nil for the photo's own.
  let longerSide: Int?
  /// Whether the file is no model but a painting in whose style the pair for any style paints.
  var isLikePainting = false
}

/// What is told of a model in lists.
struct ModelWords: Codable, Sendable {
  let id: String
  let title: String
  let origin: ModelShelf.Origin
  let kind: ModelShelf.Kind

  /// What is told of a model on the shelf.
  init(_ entry: ModelShelf.Entry) {
    id = entry.id
    title = entry.title
    origin = entry.origin
    kind = entry.kind
  }
}

/// What a picture may show.
struct Guess: Codable, Sendable {
  let label: String
  let probability: Double
}

/// A bench's answer: JSON, or a painting.
struct BenchAnswer: Sendable {
  var json = Data()
  var painted: PaintedPicture?

  /// A painting.
  init(_ painted: PaintedPicture) { self.painted = painted }

  /// An answer in JSON.
  init(json: Data) { self.json = json }

  /// A value in JSON.
  init(_ value: some Encodable) throws { json = try HTTPResponse.encoded(value) }

  /// The answer as a value.
  func value<Value: Decodable>(_: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(Value.self, from: json)
  }

  /// The answer as that of a request.
  var response: HTTPResponse { HTTPResponse(type: "application/json", json) }

  /// The painting.
  func picture() throws -> PaintedPicture {
    guard let painted else { throw HTTPError(500, "failed", "Nothing was painted.") }
    return painted
  }
}

/// Decodes pictures that are small enough.
struct PictureLimit: Codable, Sendable {
  /// The most pixels.
  let pixels: Int

  /// Decodes a picture.
  func decode(_ data: Data) throws -> Picture {
    try require(try Picture.probe(data: data, name: "the picture"))
    return try Picture(data: data, name: "the picture", pixelLimit: pixels)
  }

  /// Throws where a picture has too many pixels.
  func require(_ header: PictureHeader) throws {
    let (area, overflow) = header.width.multipliedReportingOverflow(by: header.height)
    guard !overflow, area <= pixels else {
      throw HTTPError(
        413, "too_many_pixels",
        "The picture has \(header.width) × \(header.height) pixels, but at most"
          + " \(pixels / 1_000_000) megapixels are taken. Make it smaller first.")
    }
  }
}

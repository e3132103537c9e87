import Foundation
import Imaging
import Service

/// Runs models, in the current process or in a separate process that may crash.
protocol ModelWorker: Sendable {
  /// Answers a request about a model.
  ///
  /// - Parameters:
  ///   - file: The model's file.
  ///   - files: The pictures of the request, by name.
  ///   - progress: A closure that is called with the share of the work that is done, 0 to 1.
  func answer(
    _ request: ModelRequest, about file: URL, _ files: [String: Data],
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> ModelResponse
}

extension ModelWorker {
  /// Answers a request about a model without reporting progress.
  func answer(
    _ request: ModelRequest, about file: URL, _ files: [String: Data] = [:]
  ) async throws -> ModelResponse {
    try await answer(request, about: file, files) { _ in }
  }
}

/// A request about a model: what a worker must do with the model.
enum ModelRequest: Codable, Sendable {
  /// Determine the model's purpose. The answer is a ``ModelStore/Kind``.
  case kind
  /// List the model's inputs, outputs and summary, together with the given description.
  case details(ModelWords)
  /// List the model's layers.
  case graph(title: String)
  /// Measure the time of each layer.
  case profile(title: String, Units)
  /// Predict, with inputs as JSON and with pictures among the files.
  case predict(inputs: Data)
  /// Predict, with the unparsed JSON document `{"inputs": {…}}` in the file named ``document``.
  case predictDocument
  /// Describe the model in the Open Inference Protocol. The answer is a ``ModelMetadata``.
  case metadata(name: String)
  /// Predict with tensors. The file named ``document`` is the body of a request of the Open Inference Protocol. The
  /// answer is the JSON and the binary data of the protocol's response.
  case infer(InferenceOrder)
  /// Unpack an archive into the request's file, which becomes a package. The unpacked files may have at most `most`
  /// bytes together. The JSON of the answer contains no information.
  case unpack(archive: URL, most: Int)
  /// Classify the file `photo`. The answer is a list of ``Guess``.
  case classify(Units, top: Int)
  /// Paint the file `photo`.
  case paint(PaintOrder)
  /// Paint a film. The answer is a list of sentences for the user. Progress is reported after each frame.
  case film(FilmWork)
  /// Tell whether the model can learn labels from pictures.
  case canLearn
  /// Update the model with the files `0`, `1`, … and their labels, and write the updated model to `target`.
  case learn(labels: [String], target: URL)
  /// Classify the file `drawing`. The answer is a ``DrawingService/Answer``.
  case recognize

  /// Whether the time limit of a prediction applies. A film may take hours.
  var hasTimeLimit: Bool {
    if case .film = self { return false }
    return true
  }

  /// The name of the file that holds the document of ``predictDocument`` or ``infer``.
  static let document = "document"
}

/// The settings with which a worker paints a photo. The request names the file of the style's model or painting.
struct PaintOrder: Codable, Sendable {
  /// The name of the model in error messages.
  let title: String
  let units: Units
  /// The maximum length of the painting's longer side, in pixels. The painting is never larger than the photo. Nil for
  /// the photo's size.
  let longerSide: Int?
  /// Whether the file is a painting, not a model. The networks for arbitrary styles then paint in the style of that
  /// painting.
  var isPainting = false
  /// Whether a painting in a style of the gallery keeps the colours that the network makes.
  var keepsNetworkColors = false
}

/// What the head of a request of the Open Inference Protocol says about its body.
struct InferenceOrder: Codable, Sendable {
  /// The name of the model in the response.
  let model: String
  /// The header with the length of the body's JSON part. Nil if all of the body is JSON.
  let headerLength: String?
}

/// A model as clients see it in lists.
struct ModelWords: Codable, Sendable {
  let id: String
  let title: String
  let origin: ModelStore.Origin
  let kind: ModelStore.Kind

  /// Describes a model of the store.
  init(_ entry: ModelStore.Entry) {
    id = entry.id
    title = entry.title
    origin = entry.origin
    kind = entry.kind
  }
}

/// A label with its probability.
struct Guess: Codable, Sendable {
  let label: String
  let probability: Double
}

/// The response to a ``ModelRequest``: JSON, or a painting.
struct ModelResponse: Sendable {
  var json = Data()
  /// The binary data after the JSON of an inference. Nil without binary data.
  var binary: Data?
  var painted: PaintedPicture?

  /// Creates a response that is a painting.
  init(_ painted: PaintedPicture) { self.painted = painted }

  /// Creates a response from encoded JSON, and the binary data after it.
  init(json: Data, binary: Data? = nil) {
    self.json = json
    self.binary = binary
  }

  /// Creates a response by encoding a value as JSON.
  init(_ value: some Encodable) throws { json = try HTTPResponse.encoded(value) }

  /// Returns the JSON, decoded.
  func value<Value: Decodable>(_: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(Value.self, from: json)
  }

  /// The JSON as an HTTP response.
  var response: HTTPResponse { HTTPResponse(type: "application/json", json) }

  /// The response to an inference.
  var inference: HTTPResponse { InferenceAnswer(json: json, binary: binary).response }

  /// Returns the painting. Throws if the response is JSON.
  func picture() throws -> PaintedPicture {
    guard let painted else { throw HTTPError(500, "failed", "Nothing was painted.") }
    return painted
  }
}

/// A limit for the pixels of decoded pictures.
struct PictureLimit: Codable, Sendable {
  /// The maximum number of pixels.
  let pixels: Int

  /// Decodes a picture.
  func decode(_ data: Data) throws -> Picture {
    try require(try Picture.probe(data: data, name: "the picture"))
    return try Picture(data: data, name: "the picture", pixelLimit: pixels)
  }

  /// Throws if a picture has too many pixels.
  func require(_ header: PictureHeader) throws {
    try require(width: header.width, height: header.height)
  }

  /// Throws if a picture of this size has too many pixels.
  func require(width: Int, height: Int) throws {
    let (area, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, area <= pixels else {
      throw HTTPError(
        413, "too_many_pixels",
        "The picture has \(width) × \(height) pixels, but at most"
          + " \(pixels / 1_000_000) megapixels are accepted. Scale it down first.")
    }
  }
}

import CoreML
import Engine
import Foundation
import Imaging
import ModelFormat
import ModelTools
import Service

/// `/v1/models`.
extension Studio {
  private struct ModelWords: Encodable {
    let id: String
    let title: String
    let origin: ModelShelf.Origin
    let kind: ModelShelf.Kind

    init(_ entry: ModelShelf.Entry) {
      id = entry.id
      title = entry.title
      origin = entry.origin
      kind = entry.kind
    }
  }

  private struct ModelDetails: Encodable {
    let model: ModelWords
    let inputs: [FeatureForm]
    let outputs: [FeatureForm]
    let summary: ModelSummary
  }

  private struct Profile: Encodable {
    let threads: Int
    let precision: String
    let sessionBytes: Int
    let weightBytes: Int
    let milliseconds: Double
    let layers: [LayerProfile.Entry]
  }

  func addModels(to router: inout Router) {
    router.add("GET", "/v1/models") { [self] _, _ in
      try .json(["models": models.all.map(ModelWords.init)])
    }
    router.add("POST", "/v1/models", limit: options.modelBytes) { [self] request, _ in
      let entry = try await quick.run(Self.client(request.head)) { [self] in
        try await offload { [self] in try receive(request) }
      }
      return try .json(ModelWords(entry), status: 201)
    }
    router.add("GET", "/v1/models/{id}") { [self] request, parts in
      let entry = try models.entry(parts["id"] ?? "")
      return try await quick.run(Self.client(request.head)) { [self] in
        try await offload { [self] in
          let description = try models.model(entry.file, units: .all).modelDescription
          return try .json(
            ModelDetails(
              model: ModelWords(entry),
              inputs: description.inputNames.compactMap {
                description.inputDescriptionsByName[$0].map(FeatureForm.init)
              },
              outputs: description.outputNames.compactMap {
                description.outputDescriptionsByName[$0].map(FeatureForm.init)
              },
              summary: ModelSummary(try ModelFile.open(entry.file))))
        }
      }
    }
    router.add("DELETE", "/v1/models/{id}") { [self] _, parts in
      try models.remove(parts["id"] ?? "")
      return .done
    }
    router.add("GET", "/v1/models/{id}/file") { [self] _, parts in
      let entry = try models.entry(parts["id"] ?? "")
      guard entry.file.pathExtension == "mlmodel" else {
        throw HTTPError(409, "a_folder", "'\(entry.title)' is a folder, which cannot be sent.")
      }
      return HTTPResponse(
        type: "application/octet-stream",
        try await offload { try Data(contentsOf: entry.file) })
    }
    router.add("GET", "/v1/models/{id}/graph") { [self] request, parts in
      let entry = try models.entry(parts["id"] ?? "")
      return try await quick.run(Self.client(request.head)) { [self] in
        try await offload { [self] in
          let (network, types) = try network(entry, .all)
          var typed = network.graph
          try typed.inferTypes(from: types)
          return try .json(GraphListing(typed))
        }
      }
    }
    router.add("GET", "/v1/models/{id}/profile") { [self] request, parts in
      let entry = try models.entry(parts["id"] ?? "")
      let units = try Fields(request).units()
      return try await slow.run(Self.client(request.head)) { [self] in
        try await offload { [self] in try .json(try profile(entry, units)) }
      }
    }
    router.add("POST", "/v1/models/{id}/predict", limit: options.pictureBytes) {
      [self] request, parts in
      let entry = try models.entry(parts["id"] ?? "")
      return try await quick.run(Self.client(request.head)) { [self] in
        try await predict(request, entry)
      }
    }
  }

  /// Takes a model in: one file's bytes, or the files of a package's folder as a form.
  private func receive(_ request: HTTPRequest) throws -> ModelShelf.Entry {
    let fields = try Fields(request)
    let title = Self.title(fields.text("name") ?? "model")
    let isPackage =
      fields.files.count > 1 || fields.files.contains { $0.fileName?.contains("/") == true }
    guard !fields.files.isEmpty else {
      throw HTTPError(
        400, "no_model",
        "The body is empty: send the bytes of a .mlmodel file, or the files of a .mlpackage folder"
          + " as a form whose files have their names within the folder.")
    }
    let (id, place) = try models.placeForUpload(isPackage ? "mlpackage" : "mlmodel")
    do {
      if isPackage {
        try PackageUpload.write(fields.files, to: place)
      } else {
        try fields.files[0].data.write(to: place)
      }
      let entry = ModelShelf.Entry(
        id: id, title: title, origin: .upload, kind: try ModelShelf.kind(of: place), file: place)
      models.add(entry)
      return entry
    } catch {
      try? FileManager.default.removeItem(at: place)
      throw error
    }
  }

  /// A name to show: short, on one line, without an ending.
  private static func title(_ name: String) -> String {
    let last = name.split(separator: "/").last.map(String.init) ?? "model"
    let base = last.replacingOccurrences(
      of: #"\.(mlmodel|mlpackage)$"#, with: "", options: [.regularExpression, .caseInsensitive])
    let plain = base.filter { !$0.isNewline }.prefix(80)
    return plain.isEmpty ? "model" : String(plain)
  }

  private func network(
    _ entry: ModelShelf.Entry, _ units: MLComputeUnits
  ) throws -> (Network, [TensorType]) {
    guard let found = try models.model(entry.file, units: units).network(pictures: nil) else {
      throw HTTPError(
        422, "no_layers", "'\(entry.title)' is no neural network, so it has no layers.")
    }
    return found
  }

  private func profile(_ entry: ModelShelf.Entry, _ units: MLComputeUnits) throws -> Profile {
    let (network, types) = try network(entry, units)
    let plan = PlanListing(
      try network.plan(for: types).plan.wholeRun(), precision: network.options.precision,
      device: MLModel.computeDeviceText)
    let layers = try LayerProfile(network, inputTypes: types, runs: 5).calls
    return Profile(
      threads: plan.threads, precision: plan.precision, sessionBytes: plan.sessionBytes,
      weightBytes: plan.weightBytes, milliseconds: layers.reduce(0) { $0 + $1.milliseconds },
      layers: layers)
  }

  private struct Prediction: Encodable {
    let outputs: [String: FeatureAnswer]
    let seconds: Double
  }

  private func predict(
    _ request: HTTPRequest, _ entry: ModelShelf.Entry
  ) async throws -> HTTPResponse {
    let provider = try await offload { [self] in try Handed(inputs(request, entry)) }
    let options = MLPredictionOptions()
    options.timeLimit = self.options.predictionSeconds
    let start = ContinuousClock.now
    let model = try models.model(entry.file, units: .all)
    let result: any MLFeatureProvider
    let state = model.makeState()
    if state.stateNames.isEmpty {
      result = try await model.prediction(from: provider.value, options: options)
    } else {
      result = try await model.prediction(from: provider.value, using: state, options: options)
    }
    var outputs: [String: FeatureAnswer] = [:]
    for name in result.featureNames {
      outputs[name] = try result.featureValue(for: name).map { try FeatureAnswer($0) }
    }
    return try .json(
      Prediction(outputs: outputs, seconds: (ContinuousClock.now - start) / .seconds(1)))
  }

  /// The inputs of a prediction: a JSON object `{"inputs": {…}}`, or a form.
  private func inputs(
    _ request: HTTPRequest, _ entry: ModelShelf.Entry
  ) throws -> MLDictionaryFeatureProvider {
    let features = try models.model(entry.file, units: .all).modelDescription
      .inputDescriptionsByName
    var stated: [String: Any] = [:]
    var files: [String: Data] = [:]
    if request.head.contentType == "application/json" {
      guard
        let object = try? JSONSerialization.jsonObject(with: request.body) as? [String: Any],
        let inputs = object["inputs"] as? [String: Any]
      else { throw HTTPError(400, "bad_json", "Expected a JSON object {\"inputs\": {…}}.") }
      stated = inputs
      for (name, value) in inputs {
        if let id = (value as? [String: Any])?["picture"] as? String, features[name]?.type == .image
        {
          files[name] = try pictures.data(id)
        }
      }
    } else {
      let fields = try Fields(request)
      stated = fields.values
      for file in fields.files {
        let name = file.name.isEmpty ? features.values.first { $0.type == .image }?.name : file.name
        if let name { files[name] = file.data }
      }
    }
    var values: [String: MLFeatureValue] = [:]
    for feature in features.values {
      values[feature.name] = try FeatureReading.value(
        stated[feature.name], file: files[feature.name], for: feature,
        decode: { try pictures.decode($0) })
    }
    return try MLDictionaryFeatureProvider(dictionary: values)
  }
}

/// Writes the files of a package's folder.
enum PackageUpload {
  /// Only what a package has is written, and only below the place: each part of a name must be of letters,
  /// digits and `. _ -`, and no part may begin with a dot.
  static func write(_ files: [MultipartBody.Part], to place: URL) throws {
    let manager = FileManager.default
    var hasManifest = false
    for file in files {
      var parts = (file.fileName ?? "").split(separator: "/").map(String.init)
      // Browsers put the folder's own name first.
      if parts.count > 1, parts[0].lowercased().hasSuffix(".mlpackage") { parts.removeFirst() }
      guard (1...5).contains(parts.count), parts.allSatisfy(isPlain),
        parts == ["Manifest.json"] || parts.first == "Data"
      else {
        throw HTTPError(
          422, "bad_package",
          "A package has Manifest.json and files below Data, but the form has"
            + " '\((file.fileName ?? file.name).prefix(80))'.")
      }
      hasManifest = hasManifest || parts == ["Manifest.json"]
      var target = place
      for part in parts { target.appendPathComponent(part) }
      try manager.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try file.data.write(to: target)
    }
    guard hasManifest else {
      throw HTTPError(422, "bad_package", "The form has no Manifest.json, which every package has.")
    }
  }

  private static func isPlain(_ part: String) -> Bool {
    !part.isEmpty && part.utf8.count <= 100 && !part.hasPrefix(".")
      && part.unicodeScalars.allSatisfy {
        ($0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil))
          || "._-".unicodeScalars.contains($0)
      }
  }
}

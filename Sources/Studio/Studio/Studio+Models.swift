import Foundation
import Service

/// `/v1/models`.
extension Studio {
  func addModels(to router: inout Router) {
    router.add("GET", "/v1/models") { [self] _, _ in
      try .json(["models": models.all.filter { $0.origin != .painting }.map(ModelWords.init)])
    }
    router.add("POST", "/v1/models", limit: options.modelBytes) { [self] request, _ in
      let entry = try await quick.run(Self.queueClient(request.head)) { [self] in
        try await receive(request)
      }
      return try .json(ModelWords(entry), status: 201)
    }
    router.add("GET", "/v1/models/{id}") { [self] request, parts in
      let entry = try models.entry(parts["id"] ?? "")
      return try await quick.run(Self.queueClient(request.head)) { [self] in
        try await worker(of: entry).answer(.details(ModelWords(entry)), about: entry.file).response
      }
    }
    router.add("DELETE", "/v1/models/{id}") { [self] _, parts in
      try models.remove(parts["id"] ?? "")
      return .done
    }
    router.add("GET", "/v1/models/{id}/file") { [self] _, parts in
      let entry = try models.entry(parts["id"] ?? "")
      guard entry.file.pathExtension == "mlmodel" else {
        throw HTTPError(
          409, "a_folder",
          "'\(entry.title)' is a folder, and only files can be downloaded.")
      }
      return try HTTPResponse(type: "application/octet-stream", file: entry.file)
    }
    router.add("GET", "/v1/models/{id}/graph") { [self] request, parts in
      let entry = try models.entry(parts["id"] ?? "")
      return try await quick.run(Self.queueClient(request.head)) { [self] in
        try await worker(of: entry).answer(.graph(title: entry.title), about: entry.file).response
      }
    }
    router.add("GET", "/v1/models/{id}/profile") { [self] request, parts in
      let entry = try models.entry(parts["id"] ?? "")
      let units = try Fields(request).choice("units", Units.self) ?? .all
      return try await slow.run(Self.queueClient(request.head)) { [self] in
        try await worker(of: entry)
          .answer(.profile(title: entry.title, units), about: entry.file).response
      }
    }
    router.add("POST", "/v1/models/{id}/predict", limit: options.pictureBytes) {
      [self] request, parts in
      let entry = try models.entry(parts["id"] ?? "")
      return try await quick.run(Self.queueClient(request.head)) { [self] in
        if request.head.contentType == "application/json", request.body.count > Self.shortDocument {
          return try await workers.answer(
            .predictDocument, about: entry.file, [ModelRequest.document: request.body]
          ).response
        }
        let (inputs, files) = try await offload { [self] in try self.inputs(request) }
        return try await worker(of: entry)
          .answer(.predict(inputs: inputs), about: entry.file, files).response
      }
    }
  }

  /// The studio itself parses only JSON documents of at most this number of bytes. A longer document goes to a worker
  /// unparsed, because a parsed document takes several times as much memory as its text.
  private static let shortDocument = 1 << 20

  /// Stores an uploaded model: the bytes of one file, an archive of a package, or the files of a package as a form.
  private func receive(_ request: HTTPRequest) async throws -> ModelStore.Entry {
    let fields = try Fields(request)
    let title = Self.title(fields.text("name") ?? "model")
    let files = fields.files
    let isArchive: Bool = files.count == 1 && PackageUpload.isArchive(files[0].data)
    let isPackage: Bool =
      isArchive || files.count > 1 || files.contains { $0.fileName?.contains("/") == true }
    guard !files.isEmpty else {
      throw HTTPError(
        400, "no_model",
        "The body is empty. Send the bytes of a .mlmodel file, a .mlpackage folder packed with zip,"
          + " or the files of the folder as a form, with their paths within the folder as file"
          + " names.")
    }
    let (id, location) = try models.newUpload(isPackage ? "mlpackage" : "mlmodel")
    do {
      if isArchive {
        let archive: URL = location.appendingPathExtension("zip")
        defer { try? FileManager.default.removeItem(at: archive) }
        try await offload { try files[0].data.write(to: archive) }
        _ = try await workers.answer(
          .unpack(archive: archive, most: options.modelBytes), about: location)
      } else {
        try await offload {
          if isPackage {
            try PackageUpload.write(files, to: location)
          } else {
            try files[0].data.write(to: location)
          }
        }
      }
      let kind = try await workers.answer(.kind, about: location).value(ModelStore.Kind.self)
      let entry = ModelStore.Entry(
        id: id, title: title, origin: .upload, kind: kind, file: location)
      models.add(entry)
      return entry
    } catch {
      try? FileManager.default.removeItem(at: location)
      throw error
    }
  }

  /// Makes a title from a file name: short, on one line, without the extension.
  static func title(_ name: String) -> String {
    let last = name.split(separator: "/").last.map(String.init) ?? "model"
    let base = last.replacingOccurrences(
      of: #"(\.(mlmodel|mlpackage|zip|jpe?g|png|webp|tiff?))+$"#, with: "",
      options: [.regularExpression, .caseInsensitive])
    let plain = base.filter { !$0.isNewline }.prefix(80)
    return plain.isEmpty ? "model" : String(plain)
  }

  /// Reads the inputs of a prediction from a JSON object `{"inputs": {…}}` or from a form. Returns the inputs as JSON,
  /// and the pictures by the names of their inputs.
  private func inputs(_ request: HTTPRequest) throws -> (Data, [String: Data]) {
    var files: [String: Data] = [:]
    guard request.head.contentType == "application/json" else {
      let fields = try Fields(request)
      for file in fields.files { files[file.name] = file.data }
      return (try JSONSerialization.data(withJSONObject: fields.values), files)
    }
    guard
      let object = try? JSONSerialization.jsonObject(with: request.body) as? [String: Any],
      var inputs = object["inputs"] as? [String: Any]
    else { throw HTTPError.noInputs }
    for (name, value) in inputs {
      guard let id = (value as? [String: Any])?["picture"] as? String else { continue }
      files[name] = try pictures.data(id)
      inputs[name] = nil
    }
    return (try JSONSerialization.data(withJSONObject: inputs), files)
  }
}

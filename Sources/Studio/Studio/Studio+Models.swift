import Foundation
import KerasFormat
import ModelFormat
import Service

/// `/v1/models`.
extension Studio {
  func addModels(to router: inout Router) {
    router.add("GET", "/v1/models") { [self] _, _ in
      try .json(["models": models.all.filter { $0.origin != .painting }.map(ModelWords.init)])
    }
    router.add("POST", "/v1/models", limit: options.modelBytes) { [self] request, _ in
      let entry = try await quick.run(Self.client(request.head)) { [self] in
        try await receive(request)
      }
      return try .json(ModelWords(entry), status: 201)
    }
    router.add("GET", "/v1/models/{id}") { [self] request, parts in
      let entry = try models.entry(parts["id"] ?? "")
      return try await quick.run(Self.client(request.head)) { [self] in
        try await bench(of: entry).answer(.details(ModelWords(entry)), about: entry.file).response
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
        try await bench(of: entry).answer(.graph(title: entry.title), about: entry.file).response
      }
    }
    router.add("GET", "/v1/models/{id}/profile") { [self] request, parts in
      let entry = try models.entry(parts["id"] ?? "")
      let units = try Fields(request).choice("units", Units.self) ?? .all
      return try await slow.run(Self.client(request.head)) { [self] in
        try await bench(of: entry)
          .answer(.profile(title: entry.title, units), about: entry.file).response
      }
    }
    router.add("POST", "/v1/models/{id}/predict", limit: options.pictureBytes) {
      [self] request, parts in
      let entry = try models.entry(parts["id"] ?? "")
      return try await quick.run(Self.client(request.head)) { [self] in
        let (inputs, files) = try await offload { [self] in try self.inputs(request) }
        return try await bench(of: entry)
          .answer(.predict(inputs: inputs), about: entry.file, files).response
      }
    }
  }

  /// Takes a model in: one file's bytes, a package's folder in an archive, or its files as a form.
  private func receive(_ request: HTTPRequest) async throws -> ModelShelf.Entry {
    let fields = try Fields(request)
    let title = Self.title(fields.text("name") ?? "model")
    var files = fields.files
    if files.count == 1, PackageUpload.isArchive(files[0].data) {
      let archive = files[0].data
      files = try await offload { [limit = options.modelBytes] in
        try PackageUpload.unpack(archive, most: limit)
      }
    }
    let isPackage = files.count > 1 || files.contains { $0.fileName?.contains("/") == true }
    guard !files.isEmpty else {
      throw HTTPError(
        400, "no_model",
        "The body is empty: send the bytes of a .mlmodel file, or a .mlpackage folder: packed with"
          + " zip, or its files as a form whose files have their names within the folder.")
    }
    let (id, place) = try models.placeForUpload(isPackage ? "mlpackage" : "mlmodel")
    do {
      if isPackage {
        try PackageUpload.write(files, to: place)
      } else {
        try files[0].data.write(to: place)
      }
      let kind = try await workers.answer(.kind, about: place).value(ModelShelf.Kind.self)
      let entry = ModelShelf.Entry(id: id, title: title, origin: .upload, kind: kind, file: place)
      models.add(entry)
      return entry
    } catch {
      try? FileManager.default.removeItem(at: place)
      throw error
    }
  }

  /// A name to show: short, on one line, without an ending.
  static func title(_ name: String) -> String {
    let last = name.split(separator: "/").last.map(String.init) ?? "model"
    let base = last.replacingOccurrences(
      of: #"(\.(mlmodel|mlpackage|zip|jpe?g|png|webp|tiff?))+$"#, with: "",
      options: [.regularExpression, .caseInsensitive])
    let plain = base.filter { !$0.isNewline }.prefix(80)
    return plain.isEmpty ? "model" : String(plain)
  }

  /// The inputs of a prediction as JSON, and its pictures by the inputs' names: of a JSON object
  /// `{"inputs": {…}}`, or of a form.
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
    else { throw HTTPError(400, "bad_json", "Expected a JSON object {\"inputs\": {…}}.") }
    for (name, value) in inputs {
      guard let id = (value as? [String: Any])?["picture"] as? String else { continue }
      files[name] = try pictures.data(id)
      inputs[name] = nil
    }
    return (try JSONSerialization.data(withJSONObject: inputs), files)
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

  /// Whether bytes begin as a ZIP archive does.
  static func isArchive(_ data: Data) -> Bool { data.starts(with: [0x50, 0x4B, 0x03, 0x04]) }

  /// The files of a package that was packed with `zip`; what macOS adds is left out.
  ///
  /// - Parameter most: the most bytes that they may have together when they are unpacked.
  static func unpack(_ data: Data, most: Int) throws -> [MultipartBody.Part] {
    let archive = try ZipArchive(ByteValues([UInt8](data)))
    let names = archive.names.filter { !$0.hasSuffix("/") && !$0.hasPrefix("__MACOSX/") }
    guard (1...mostFiles).contains(names.count) else {
      throw HTTPError(
        422, "bad_package",
        "The archive has \(names.count) files, but a package has 1 to \(mostFiles).")
    }
    // Asked before anything is unpacked: a small archive may claim to be huge.
    var left = most
    for name in names {
      left -= try min(archive.size(of: name) ?? 0, most + 1)
      guard left >= 0 else {
        throw HTTPError(
          413, "too_large", "The archive's files have more than the \(most) bytes that are taken.")
      }
    }
    return try names.compactMap { name in
      try archive.file(name).map { bytes in
        MultipartBody.Part(name: "file", fileName: name, data: Data(bytes))
      }
    }
  }

  private static let mostFiles = 200

  private static func isPlain(_ part: String) -> Bool {
    !part.isEmpty && part.utf8.count <= 100 && !part.hasPrefix(".")
      && part.unicodeScalars.allSatisfy {
        ($0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil))
          || "._-".unicodeScalars.contains($0)
      }
  }
}

import Foundation

/// Seeds from the fixtures of the readers' own tests.
enum FixtureSeeds {
  private static let tests: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func list(_ path: String) -> [[String: Any]] {
    guard let data = try? Data(contentsOf: tests.appendingPathComponent(path)),
      let list = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]]
    else { preconditionFailure("the fixture \(path) cannot be read") }
    return list
  }

  private static func bytes(_ value: Any?) -> [UInt8] {
    (value as? String).flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) } ?? []
  }

  /// One operator of TensorFlow Lite each, a third of them quantised.
  static let lite: [FileSeed] = list("TensorFlowLiteTests/Expected/operators.json").map {
    FileSeed(
      kind: "tflite \($0["name"] as? String ?? "")", name: "mutant.tflite",
      files: ["mutant.tflite": bytes($0["model"])])
  }

  /// One layer of Keras each, in `.keras`, `.h5`, or `.json` with `.weights.h5`.
  static let keras: [FileSeed] = list("KerasFormatTests/Expected/layers.json").flatMap { item in
    let kind = "keras \(item["name"] as? String ?? "")"
    let files: [String: [UInt8]] = (item["files"] as? [String: Any] ?? [:]).mapValues { bytes($0) }
    let name: String = files.keys.sorted().first ?? ""
    var seeds: [FileSeed] = [FileSeed(kind: kind, name: name, files: files)]
    if let archive = PlainZip(files[name] ?? []) {
      // The architecture as a text of its own, so that it can become longer.
      seeds.append(
        FileSeed(
          kind: kind, name: "m.json",
          files: [
            "m.json": archive.files["config.json"] ?? [],
            "m.weights.h5": archive.files["model.weights.h5"] ?? [],
          ]))
    }
    return seeds
  }

  /// One layer of Caffe each.
  static let caffe: [FileSeed] = list("CaffeFormatTests/Expected/layers.json").map { item in
    var files: [String: [UInt8]] = ["m.prototxt": Array((item["prototxt"] as? String ?? "").utf8)]
    let weights: [UInt8] = bytes(item["weights"])
    if !weights.isEmpty { files["m.caffemodel"] = weights }
    return FileSeed(
      kind: "caffe \(item["name"] as? String ?? "")", name: "m.prototxt", files: files)
  }
}

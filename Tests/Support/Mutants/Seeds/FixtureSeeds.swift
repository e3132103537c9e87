import Foundation

/// Seeds from the fixtures of the readers' tests.
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

  /// One TensorFlow Lite operator per seed. One third of the seeds are quantised.
  static let lite: [FileSeed] = list("TensorFlowLiteTests/Expected/operators.json").map {
    FileSeed(
      kind: "tflite \($0["name"] as? String ?? "")", name: "mutant.tflite",
      files: ["mutant.tflite": bytes($0["model"])])
  }

  /// One Keras layer per seed. The seed is a `.keras` file, an `.h5` file, or a `.json` file with a `.weights.h5` file.
  static let keras: [FileSeed] = list("KerasFormatTests/Expected/layers.json").flatMap { item in
    let kind = "keras \(item["name"] as? String ?? "")"
    let files: [String: [UInt8]] = (item["files"] as? [String: Any] ?? [:]).mapValues { bytes($0) }
    let name: String = files.keys.sorted().first ?? ""
    var seeds: [FileSeed] = [FileSeed(kind: kind, name: name, files: files)]
    if let archive = PlainZip(files[name] ?? []) {
      // This seed is the same model as separate files, which the reader also accepts. Damage hits a configuration in a
      // file of its own more often than a configuration inside an archive.
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

  /// One Caffe layer per seed.
  static let caffe: [FileSeed] = list("CaffeFormatTests/Expected/layers.json").map { item in
    var files: [String: [UInt8]] = ["m.prototxt": Array((item["prototxt"] as? String ?? "").utf8)]
    let weights: [UInt8] = bytes(item["weights"])
    if !weights.isEmpty { files["m.caffemodel"] = weights }
    return FileSeed(
      kind: "caffe \(item["name"] as? String ?? "")", name: "m.prototxt", files: files)
  }

  /// One ncnn layer or a few per seed.
  static let ncnn: [FileSeed] = list("NCNNFormatTests/Expected/layers.json").map { item in
    FileSeed(
      kind: "ncnn \(item["name"] as? String ?? "")", name: "m.param",
      files: [
        "m.param": Array((item["param"] as? String ?? "").utf8), "m.bin": bytes(item["weights"]),
      ])
  }
}

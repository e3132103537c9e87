import Foundation
import Imaging
import Testing

/// Tests `atelier encrypt` and encrypted models.
@Suite(.enabled(if: Program.isBuilt && Fixtures.areAvailable))
struct EncryptTests {
  private static let strace = "/usr/bin/strace"

  /// Writes an encrypted digit classifier, its key, and the image of a digit. Returns their paths.
  private func prepare(_ folder: URL) throws -> (model: String, key: String, digit: String) {
    let (model, key) = (folder.path + "/digits.mlmodelc", folder.path + "/digits.key")
    let outcome = try Program.run(
      "encrypt", Fixtures.digits.path, "-o", model, "--new-key", key)
    try #require(outcome.status == 0, "\(outcome.errors)")
    let digit: String = folder.path + "/digit.png"
    try Picture(
      width: 28, height: 28, pixels: (0..<28 * 28 * 3).map { ($0 / 3 % 28) / 4 == 3 ? 255 : 0 }
    ).write(toFile: digit)
    return (model, key, digit)
  }

  @Test("An encrypted model predicts like the plain one, but only with its key")
  func predicting() throws {
    try Fixtures.withFolder { folder in
      let (model, key, digit) = try prepare(folder)
      let words: [String] = ["-i", "image=\(digit)"]
      let plain = try Program.run(["predict", Fixtures.digits.path] + words)
      let secret = try Program.run(["predict", model, "--key", key] + words)
      #expect(secret.status == 0 && secret.output == plain.output, "\(secret.errors)")
      let closed = try Program.run(["predict", model] + words)
      #expect(closed.status == 1)
      #expect(closed.errors.contains("is encrypted with the key"), "\(closed.errors)")
      // No plaintext of the weights occurs in the file.
      let weights: Data = try Data(contentsOf: Fixtures.digits)[200_000..<200_064]
      let sealed = try Data(contentsOf: URL(fileURLWithPath: model + "/model.encrypted"))
      #expect(sealed.range(of: weights) == nil)
      let again = try Program.run(
        "encrypt", Fixtures.digits.path, "-o", model, "--new-key", key)
      #expect(again.status == 1)
      #expect(again.errors.contains("is not replaced"), "\(again.errors)")
    }
  }

  @Test(
    "An encrypted model is inspected and compressed with its key, and the results are encrypted too"
  )
  func tools() throws {
    try Fixtures.withFolder { folder in
      let (model, key, digit) = try prepare(folder)
      for stage in ["model", "layers", "graph", "plan"] {
        let plain = try Program.run("inspect", Fixtures.digits.path, "--stage", stage)
        let secret = try Program.run("inspect", model, "--stage", stage, "--key", key)
        #expect(secret.status == 0, "\(stage): \(secret.errors)")
        // The output equals that of the plain model, except for the name of the file.
        #expect(
          secret.output.replacing("digits.mlmodelc", with: "mnistCNN.mlmodel") == plain.output,
          "\(stage)")
        let closed = try Program.run("inspect", model, "--stage", stage)
        #expect(closed.status == 1 && closed.errors.contains("is encrypted with the key"))
      }
      let small: String = folder.path + "/small.mlmodelc"
      let words: [String] = ["compress", model, "--key", key, "--bits", "8"]
      let made = try Program.run(words + ["-o", small, "--sample", digit, "--json"])
      #expect(made.status == 0, "\(made.errors)")
      let rows = try #require(
        JSONSerialization.jsonObject(with: Data(made.output.utf8)) as? [[String: Any]])
      #expect((rows[1]["bytes"] as? Int ?? .max) < (rows[0]["bytes"] as? Int ?? 0) / 2)
      let predicted = try Program.run("predict", small, "--key", key, "-i", "image=\(digit)")
      #expect(predicted.status == 0, "\(predicted.errors)")
      let closed = try Program.run("predict", small, "-i", "image=\(digit)")
      #expect(closed.status == 1 && closed.errors.contains("is encrypted with the key"))
      let open = try Program.run(words + ["-o", folder.path + "/small.mlmodel"])
      #expect(open.status == 1)
      #expect(open.errors.contains("Name the output *.mlmodelc"), "\(open.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/small.mlmodel"))
    }
  }

  @Test("The result as JSON names the model and its key")
  func json() throws {
    try Fixtures.withFolder { folder in
      let (model, key) = (folder.path + "/digits.mlmodelc", folder.path + "/digits.key")
      let outcome = try Program.run(
        "encrypt", Fixtures.digits.path, "-o", model, "--new-key", key, "--json")
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
      let report = try #require(
        JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
      #expect(report["model"] as? String == model && report["keyFile"] as? String == key)
      #expect(report["isNewKey"] as? Bool == true)
      let closed = try Program.run("inspect", model)
      let identifier = try #require(report["key"] as? String)
      #expect(closed.errors.contains(identifier), "\(closed.errors)")
    }
  }

  @Test(
    "Weights are decrypted in memory, and no file is opened for writing",
    .enabled(if: FileManager.default.isExecutableFile(atPath: strace)))
  func files() throws {
    try Fixtures.withFolder { folder in
      let (model, key, digit) = try prepare(folder)
      let log: String = folder.path + "/calls"
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Self.strace)
      process.arguments = [
        "-f", "-o", log, "-e", "trace=open,openat,creat,memfd_create,mknod,mknodat",
        try #require(Program.binary).path, "predict", model, "--key", key, "-i",
        "image=\(digit)",
      ]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      let calls: [Substring] = try String(contentsOfFile: log, encoding: .utf8)
        .split(separator: "\n")
      // In a container that forbids tracing, there are no calls to check.
      guard process.terminationStatus == 0, calls.count > 10 else { return }
      #expect(calls.contains { $0.contains("model.encrypted") })
      let writing = calls.filter { call in
        ["O_WRONLY", "O_RDWR", "O_CREAT", "creat(", "memfd_create(", "mknod"]
          .contains { call.contains($0) } && !call.contains("/dev/null")
      }
      #expect(writing.isEmpty, "\(writing)")
    }
  }
}

import Foundation
import Testing

@testable import ModelFormat

@Suite struct ModelFileTests {
  /// The number of float32 weights of the large model. These weights take 500 MB.
  static let largeWeightCount = 125_000_000
  static let openingLimit: Duration = .milliseconds(50)
  static let openingMemoryLimit = 1 << 20

  /// Writes a network with one convolution. The convolution's weights are a hole in a sparse file.
  static func writeLargeModel(_ url: URL) throws {
    func field(_ number: Int, length: Int) -> [UInt8] { varint(number << 3 | 2) + varint(length) }
    func varint(_ value: Int) -> [UInt8] {
      value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }
    let size = largeWeightCount * 4
    var headers: [UInt8] = field(1, length: size)  // floatValue
    for number in [90, 100, 1, 500] {  // weights, convolution, layers, neuralNetwork
      headers = field(number, length: headers.count + size) + headers
    }
    headers = [0x08, 0x04] + headers
    try Data(headers).write(to: url)
    #expect(truncate(url.path, headers.count + size) == 0)
  }

  /// Returns the resident bytes of a mapped file, from `/proc/self/smaps`. The total of the process would include the
  /// memory of tests that run concurrently.
  static func residentBytes(of file: String) throws -> Int {
    let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/smaps"))
    let map = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
    var isWanted = false
    var total = 0
    for line in map.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count >= 5, words[0].contains("-") { isWanted = line.hasSuffix(file) }
      if isWanted, words[0] == "Rss:" { total += (Int(words[1]) ?? 0) * 1024 }
    }
    return total
  }

  @Test func `A model of 500 MB opens immediately and uses no memory`() throws {
    try Fixtures.withFolder { folder in
      let url = folder.appendingPathComponent("large.mlmodel")
      try ModelFileTests.writeLargeModel(url)
      var file: ModelFile?
      let durations = try (0..<3).map { _ in
        try ContinuousClock().measure { file = try ModelFile.open(url) }
      }
      let resident = try ModelFileTests.residentBytes(of: url.lastPathComponent)
      print("500 MB opened in \(durations.min() ?? .zero), \(resident) bytes of it in memory")
      #expect((durations.min() ?? .zero) < ModelFileTests.openingLimit)
      #expect(resident < ModelFileTests.openingMemoryLimit)
      guard case .neuralNetwork(let network)? = file?.model.type,
        case .convolution(let convolution)? = network.layers.first?.layer
      else {
        Issue.record("no convolution")
        return
      }
      let weights = try #require(convolution.weights)
      #expect(weights.floatValue.count == ModelFileTests.largeWeightCount)
      #expect(weights.floatValue[ModelFileTests.largeWeightCount - 1] == 0)
      file = nil
      #expect(weights.floatValue[12_345] == 0, "a slice must keep the file mapped")
    }
  }

  @Test func `Pages of a mapped file are released, and read again`() throws {
    try Fixtures.withFolder { folder in
      let url = folder.appendingPathComponent("pages.bin")
      let size: Int = 8 << 20
      try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 >> 8) }).write(to: url)
      let bytes: ByteValues = try MappedFile(path: url.path).bytes
      let middle: ByteValues = try #require(bytes.slice(from: 100, count: size - 200))
      func sum() -> Int { middle.withBytes { $0.reduce(0) { $0 + Int($1) } } }
      let before: Int = sum()
      #expect(try ModelFileTests.residentBytes(of: url.lastPathComponent) >= size / 2)
      middle.releasePages()
      #expect(try ModelFileTests.residentBytes(of: url.lastPathComponent) < size / 8)
      #expect(sum() == before)
      try #require(bytes.slice(from: 5_000, count: 100)).releasePages()
      #expect(bytes[5_050] == UInt8(5_050 >> 8))
    }
  }

  static let foreignFiles: [(String, [UInt8], String)] = [
    (
      "photo.jpg", [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10],
      "Model 'photo.jpg' is not a Core ML model: it is a JPEG picture. "
        + "Give a .mlmodel file or a .mlpackage."
    ),
    ("none.mlmodel", [], "Model 'none.mlmodel' is empty (0 bytes), expected a Core ML model."),
    (
      "note.txt", [UInt8]("Hello".utf8),
      "Model 'note.txt' is not a Core ML model: it has no specification version and "
        + "begins with 48 65 6C 6C. Give a .mlmodel file or a .mlpackage."
    ),
  ]

  /// The first bytes of other frameworks' files, as their writers produce them.
  static let otherFrameworks: [(name: String, bytes: [UInt8], kind: String, wayOut: String)] = [
    (
      "net.caffemodel", [0x0A, 4] + Array("pNet".utf8) + [0xA2, 0x06, 3, 0x0A, 1, 0x64],
      "it is a Caffe model.", "atelier convert NET.caffemodel --with NET.prototxt"
    ),
    (
      "old.bin", [0x0A, 4] + Array("pNet".utf8) + [0x12, 3, 0x0A, 1, 0x64],
      "it is a Caffe model.", "atelier convert NET.caffemodel --with NET.prototxt"
    ),
    (
      "net.prototxt", Array("name: \"LeNet\"".utf8),
      "it is the description (.prototxt) of a Caffe model.",
      ".caffemodel"
    ),
    (
      "net.onnx",
      [0x08, 8, 0x12, 7] + Array("pytorch".utf8) + [0x3A, 2, 0x12, 0, 0x42, 2, 0x10, 17],
      "it is an ONNX model.", "atelier convert MODEL -o MODEL.mlpackage"
    ),
    ("net.h5", [0x89, 0x48, 0x44, 0x46, 0x0D], "it is an HDF5 file", "atelier convert MODEL"),
    (
      "net.tflite", [0x20, 0, 0, 0] + Array("TFL3".utf8), "it is a TensorFlow Lite model.",
      "atelier convert MODEL"
    ),
    (
      "graph.pb", [0x0A, 5, 0x0A, 1, 0x78, 0x12, 0, 0x0A, 2, 0x0A, 0, 0x22, 2, 0x08, 1],
      "it is a TensorFlow graph.", "coremltools.convert"
    ),
    (
      "saved_model.pb", [0x08, 1, 0x12, 4, 0x0A, 2, 0x3A, 0], "it is a TensorFlow graph.",
      "coremltools.convert"
    ),
    ("net.pt", [0x50, 0x4B, 3, 4, 0, 0], "it is a PyTorch file.", "torch.onnx.export"),
    ("net.zip", [0x50, 0x4B, 3, 4, 0, 0], "it is a ZIP archive; unpack it first.", ".mlpackage"),
    (
      "net.safetensors", [8, 0, 0, 0, 0, 0, 0, 0, 0x7B, 0x7D], "it is a safetensors file",
      "that it belongs to"
    ),
  ]

  @Test(arguments: otherFrameworks.indices)
  func `A file of another framework is identified, with the way to convert it`(index: Int) throws {
    let (name, bytes, kind, wayOut) = Self.otherFrameworks[index]
    try Fixtures.withFolder { folder in
      let url = folder.appendingPathComponent(name)
      try Data(bytes).write(to: url)
      let error = #expect(throws: ModelFormatError.self) { try ModelFile.open(url) }
      #expect(error?.code == .notAModel)
      #expect(error?.message.contains(kind) == true, "\(error?.message ?? "")")
      #expect(error?.message.contains(wayOut) == true, "\(error?.message ?? "")")
    }
  }

  @Test("Pipes, devices and folders inside packages are refused immediately")
  func pipes() throws {
    let folder: URL = FileManager.default.temporaryDirectory.appendingPathComponent(
      "atelier-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let package: URL = folder.appendingPathComponent("x.mlpackage")
    let compiled: URL = folder.appendingPathComponent("x.mlmodelc")
    for inner in [package, compiled] {
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    }
    let pipe: URL = folder.appendingPathComponent("x.mlmodel")
    let pipes: [URL] = [
      pipe, package.appendingPathComponent("Manifest.json"),
      compiled.appendingPathComponent("metadata.json"),
      compiled.appendingPathComponent("model.mlmodel"),
    ]
    for path in pipes { try #require(mkfifo(path.path, 0o600) == 0) }
    for (url, words) in [
      (pipe, "is a pipe, expected a file"), (compiled, "is a pipe, expected a file"),
      (package, "Manifest.json cannot be read"),
      (URL(fileURLWithPath: "/dev/zero"), "is a device, expected a file"),
    ] {
      let error = #expect(throws: ModelFormatError.self) { try ModelFile.open(url) }
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "opened")")
    }
  }

  @Test(arguments: foreignFiles.indices)
  func `A file that is not a model is identified`(index: Int) throws {
    let (name, bytes, sentence) = ModelFileTests.foreignFiles[index]
    try Fixtures.withFolder { folder in
      let url = folder.appendingPathComponent(name)
      try Data(bytes).write(to: url)
      let error = #expect(throws: ModelFormatError.self) { try ModelFile.open(url) }
      #expect(error?.message == sentence)
      #expect(error?.code == .notAModel)
    }
  }

  @Test func `A plain folder and a missing file are reported with a message`() throws {
    try Fixtures.withFolder { folder in
      let plain = folder.appendingPathComponent("plain", isDirectory: true)
      try FileManager.default.createDirectory(at: plain, withIntermediateDirectories: true)
      let error = #expect(throws: ModelFormatError.self) { try ModelFile.open(plain) }
      #expect(
        error?.message == "Model 'plain' is a folder without a Manifest.json; expected a .mlmodel "
          + "file, a .mlpackage, or a .mlmodelc that Atelier compiled.")
      let missing = folder.appendingPathComponent("gone.mlmodel")
      let second = #expect(throws: ModelFormatError.self) { try ModelFile.open(missing) }
      #expect(second?.message == "Model 'gone.mlmodel': there is no such file: \(missing.path).")
    }
  }

  @Test func `A package opens with its weights`() throws {
    try Fixtures.withFolder { folder in
      let package = folder.appendingPathComponent("p.mlpackage", isDirectory: true)
      try SampleModels.writePackage(package)
      let file = try ModelFile.open(package)
      #expect(file.model.serialized() == SampleModels.program)
      #expect(file.weightsDirectory?.lastPathComponent == "weights")
      let blob = try file.blobFile(named: "@model_path/weights/weight.bin").blob(at: 64)
      #expect(blob.dataType == .float16)
      #expect(blob.count == 3)
      #expect(blob.bytes.float32FromFloat16() == [1, -2, 0.5])
    }
  }

  @Test(arguments: ["../../../secret.mlmodel", "/etc/passwd", "com.apple.CoreML/../../x", ""])
  func `An item outside the package is refused`(path: String) throws {
    try Fixtures.withFolder { folder in
      let package = folder.appendingPathComponent("p.mlpackage", isDirectory: true)
      try SampleModels.writePackage(package, modelPath: path)
      let error = #expect(throws: ModelFormatError.self) { try ModelFile.open(package) }
      #expect(
        error?.message
          == "Package 'p.mlpackage': the item '\(path)' is outside of the package's Data folder.")
    }
  }

  @Test func `A link that leaves the package is refused`() throws {
    try Fixtures.withFolder { folder in
      let package = folder.appendingPathComponent("p.mlpackage", isDirectory: true)
      try SampleModels.writePackage(package, modelPath: "link.mlmodel")
      try SampleModels.network().write(to: folder.appendingPathComponent("out.mlmodel"))
      try FileManager.default.createSymbolicLink(
        at: package.appendingPathComponent("Data/link.mlmodel"),
        withDestinationURL: folder.appendingPathComponent("out.mlmodel"))
      let error = #expect(throws: ModelFormatError.self) { try ModelFile.open(package) }
      #expect(error?.code == .badPackage)
    }
  }

  @Test(arguments: ["Data", "Data/com.apple.CoreML/weights/weight.bin", "Data/notes"])
  func `No file of a package may be a link that leads out of it`(path: String) throws {
    try Fixtures.withFolder { folder in
      let package = folder.appendingPathComponent("p.mlpackage", isDirectory: true)
      try SampleModels.writePackage(package)
      let target = package.appendingPathComponent(path)
      let elsewhere = folder.appendingPathComponent("elsewhere")
      if FileManager.default.fileExists(atPath: target.path) {
        try FileManager.default.moveItem(at: target, to: elsewhere)
      } else {
        try Data("secret".utf8).write(to: elsewhere)
      }
      try FileManager.default.createSymbolicLink(at: target, withDestinationURL: elsewhere)
      let error = #expect(throws: ModelFormatError.self) { try ModelFile.open(package) }
      #expect(
        error?.message
          == "Model 'p.mlpackage': '\(path)' is a link that leads out of its folder. Replace the link"
          + " by the file itself.")
      #expect(error?.code == .badPackage)
    }
  }

  @Test func `A link within a package is followed`() throws {
    try Fixtures.withFolder { folder in
      let package = folder.appendingPathComponent("p.mlpackage", isDirectory: true)
      try SampleModels.writePackage(package)
      let target = package.appendingPathComponent("Data/com.apple.CoreML/weights/weight.bin")
      try FileManager.default.moveItem(
        at: target, to: package.appendingPathComponent("Data/shared.bin"))
      try FileManager.default.createSymbolicLink(
        atPath: target.path, withDestinationPath: "../../shared.bin")
      let file = try ModelFile.open(package)
      #expect(try file.blobFile(named: "@model_path/weights/weight.bin").blob(at: 64).count == 3)
    }
  }

  @Test(arguments: ["model.mlmodel", "metadata.json", "weights"])
  func `No file of a compiled model may be a link that leads out of it`(path: String) throws {
    try Fixtures.withFolder { folder in
      let package = folder.appendingPathComponent("p.mlpackage", isDirectory: true)
      try SampleModels.writePackage(package)
      let compiled = try ModelFile.compile(from: package, into: folder)
      let elsewhere = folder.appendingPathComponent("elsewhere")
      let target = compiled.appendingPathComponent(path)
      try FileManager.default.moveItem(at: target, to: elsewhere)
      try FileManager.default.createSymbolicLink(at: target, withDestinationURL: elsewhere)
      let error = #expect(throws: ModelFormatError.self) { try ModelFile.open(compiled) }
      #expect(error?.message.contains("'\(path)' is a link that leads out") == true)
    }
  }

  @Test func `A compiled model exists at every moment while it is recompiled`() throws {
    try Fixtures.withFolder { folder in
      let source = folder.appendingPathComponent("m.mlmodel")
      try SampleModels.network().write(to: source)
      let compiled: URL = try ModelFile.compile(from: source, into: folder)
      let model: String = compiled.appendingPathComponent("model.mlmodel").path
      let misses = Misses()
      let watcher = Thread { misses.watch(model) }
      watcher.start()
      for _ in 0..<100 { _ = try ModelFile.compile(from: source, into: folder) }
      #expect(misses.stop() == 0)
    }
  }

  @Test func `A killed compilation's files are removed by the next one`() throws {
    try Fixtures.withFolder { folder in
      let source = folder.appendingPathComponent("m.mlmodel")
      try SampleModels.network().write(to: source)
      let left = folder.appendingPathComponent(".m.mlmodelc.0a1b2c3d.partial", isDirectory: true)
      try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
      try Data("half".utf8).write(to: left.appendingPathComponent("model.mlmodel"))
      try Data("half".utf8).write(
        to: folder.appendingPathComponent(".m.mlmodel.0a1b2c3d.partial"))
      _ = try ModelFile.compile(from: source, into: folder)
      try SampleModels.network().write(to: source)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
          "m.mlmodel", "m.mlmodelc",
        ])
    }
  }

  @Test func `A missing item is reported with a message`() throws {
    try Fixtures.withFolder { folder in
      let package = folder.appendingPathComponent("p.mlpackage", isDirectory: true)
      try SampleModels.writePackage(package, modelPath: "gone.mlmodel")
      let error = #expect(throws: ModelFormatError.self) { try ModelFile.open(package) }
      #expect(
        error?.message == "Package 'p.mlpackage': the item 'gone.mlmodel' is missing. "
          + "The package may be incomplete.")
    }
  }

  @Test func `A weight file outside the package is refused`() throws {
    try Fixtures.withFolder { folder in
      let package = folder.appendingPathComponent("p.mlpackage", isDirectory: true)
      try SampleModels.writePackage(package)
      let file = try ModelFile.open(package)
      let error = #expect(throws: ModelFormatError.self) {
        try file.blobFile(named: "@model_path/../../../../etc/passwd")
      }
      #expect(error?.message.hasSuffix("is outside of the package.") == true)
    }
  }

  @Test func `A compiled package opens elsewhere with its weights`() throws {
    try Fixtures.withFolder { folder in
      let package = folder.appendingPathComponent("p.mlpackage", isDirectory: true)
      try SampleModels.writePackage(package)
      for _ in 0..<2 { _ = try ModelFile.compile(from: package, into: folder) }
      let compiled = folder.appendingPathComponent("p.mlmodelc", isDirectory: true)
      try FileManager.default.removeItem(at: package)
      let moved = folder.appendingPathComponent("q.mlmodelc", isDirectory: true)
      try FileManager.default.moveItem(at: compiled, to: moved)
      let file = try ModelFile.open(moved)
      #expect(file.model.serialized() == SampleModels.program)
      #expect(try file.blobFile(named: "@model_path/weights/weight.bin").blob(at: 64).count == 3)
      let again = try ModelFile.compile(from: moved, into: folder.appendingPathComponent("deeper"))
      #expect(try ModelFile.open(again).weightsDirectory != nil)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
          "deeper", "q.mlmodelc",
        ])
    }
  }

  @Test func `A single model file compiles to a folder in our format`() throws {
    try Fixtures.withFolder { folder in
      let source = folder.appendingPathComponent("m.mlmodel")
      try SampleModels.network().write(to: source)
      let compiled = try ModelFile.compile(from: source, into: folder)
      #expect(compiled.lastPathComponent == "m.mlmodelc")
      let note = try String(
        contentsOf: compiled.appendingPathComponent("metadata.json"), encoding: .utf8)
      #expect(note == #"{"format":"atelier","version":1}"#)
      #expect(try ModelFile.open(compiled).model == SampleModels.network())
    }
  }

  @Test(arguments: ["coremldata.bin", "model.espresso.net"])
  func `A compiled folder of another model type is refused with a way out`(
    file: String
  ) throws {
    try Fixtures.withFolder { folder in
      let compiled = folder.appendingPathComponent("a.mlmodelc", isDirectory: true)
      try FileManager.default.createDirectory(at: compiled, withIntermediateDirectories: true)
      try Data([1]).write(to: compiled.appendingPathComponent(file))
      let error = #expect(throws: ModelFormatError.self) { try ModelFile.open(compiled) }
      #expect(
        error?.message
          == "Model 'a.mlmodelc' was compiled by Apple's tools and is not an ML Program; "
          + "the format of other compiled models is private. Give the .mlmodel or .mlpackage that "
          + "it was compiled from.")
    }
  }

  @Test func `A model in memory finds its weights in the mapping`() throws {
    let weights = Data(SampleModels.weightFile())
    let mapping = [URL(fileURLWithPath: "/anywhere/weights/weight.bin"): weights]
    let file = try ModelFile(data: Data(SampleModels.program), blobMapping: mapping)
    #expect(try file.blobFile(named: "@model_path/weights/weight.bin").blob(at: 64).count == 3)
    let bare = try ModelFile(bytes: SampleModels.program)
    let error = #expect(throws: ModelFormatError.self) {
      try bare.blobFile(named: "@model_path/weights/weight.bin")
    }
    #expect(error?.code == .badWeights)
  }
}

/// Checks repeatedly on a separate thread whether a file exists.
private final class Misses: @unchecked Sendable {
  // `@unchecked Sendable`: the state is read and written under the condition's lock.
  private let condition = NSCondition()
  private var count = 0
  private var shouldStop = false
  private var hasStopped = false

  func watch(_ path: String) {
    while !condition.withLock({ shouldStop }) {
      if access(path, F_OK) != 0 { condition.withLock { count += 1 } }
    }
    condition.withLock {
      hasStopped = true
      condition.broadcast()
    }
  }

  /// Stops the watch and returns how often the file was missing.
  func stop() -> Int {
    condition.withLock {
      shouldStop = true
      while !hasStopped { condition.wait() }
      return count
    }
  }
}

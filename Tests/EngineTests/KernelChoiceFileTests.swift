import Foundation
import Testing

@testable import Engine

@Suite("The file of kernel choices")
struct KernelChoiceFileTests {
  private static let choices: [String: KernelChoice] = [
    "a convolution; 1 × 3 × 8 × 8": KernelChoice(
      kernel: "fast, small", times: [.init(kernel: "fast, small", milliseconds: 0.25)]),
    "another": KernelChoice(
      kernel: "slow",
      times: [
        .init(kernel: "slow", milliseconds: 1.5), .init(kernel: "fast, small", milliseconds: 1e-7),
      ]),
    "precision of 0123": KernelChoice(kernel: "float32", times: []),
  ]

  private static func withFile(_ body: (KernelChoiceFile) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "choices-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(
      KernelChoiceFile(path: folder.path + "/atelier/kernels.txt", machine: "a processor"))
  }

  @Test("Written choices can be read again; the folder is created")
  func roundTrip() throws {
    try Self.withFile { file in
      #expect(file.read().isEmpty)
      try file.add(Self.choices)
      #expect(file.read() == Self.choices)
    }
  }

  @Test(
    "Two processes that write after each other keep both processes' choices; the newer one wins for a shared key"
  )
  func merged() throws {
    try Self.withFile { file in
      let (one, other) = (KernelChoiceStore(file), KernelChoiceStore(file))
      #expect(one.choice("x") == nil)
      #expect(other.choice("x") == nil)
      one.remember(KernelChoice(kernel: "a", times: []), as: "x")
      one.remember(KernelChoice(kernel: "a", times: []), as: "y")
      one.save()
      other.remember(KernelChoice(kernel: "b", times: []), as: "x")
      other.remember(KernelChoice(kernel: "b", times: []), as: "z")
      other.save()
      #expect(file.read().mapValues(\.kernel) == ["x": "b", "y": "a", "z": "b"])
      #expect(KernelChoiceStore(file).choice("y")?.kernel == "a")
    }
  }

  @Test("A file truncated at any position gives complete choices or none")
  func cutOff() throws {
    try Self.withFile { file in
      try file.add(Self.choices)
      let complete: Data = try Data(contentsOf: URL(fileURLWithPath: file.path))
      for length in 0..<complete.count {
        try complete.prefix(length).write(to: URL(fileURLWithPath: file.path))
        for (key, choice) in file.read() { #expect(Self.choices[key] == choice) }
      }
    }
  }

  @Test("A damaged file is read without crashing and written again")
  func damaged() throws {
    try Self.withFile { file in
      try file.add(Self.choices)
      let complete: Data = try Data(contentsOf: URL(fileURLWithPath: file.path))
      for position in complete.indices {
        var bytes: Data = complete
        bytes[position] = position % 3 == 0 ? 0xFF : position % 3 == 1 ? 0x0A : 0x09
        try bytes.write(to: URL(fileURLWithPath: file.path))
        _ = file.read()
      }
      try Data([0xFF, 0xFE, 0x00]).write(to: URL(fileURLWithPath: file.path))
      #expect(file.read().isEmpty)
      try file.add(Self.choices)
      #expect(file.read() == Self.choices)
    }
  }

  @Test("A file of another machine or version, and a folder at its path, are ignored")
  func others() throws {
    try Self.withFile { file in
      try file.add(Self.choices)
      #expect(KernelChoiceFile(path: file.path, machine: "another").read().isEmpty)
      let text = try String(contentsOfFile: file.path, encoding: .utf8)
      try text.replacingOccurrences(of: "choices 1", with: "choices 9").write(
        toFile: file.path, atomically: true, encoding: .utf8)
      #expect(file.read().isEmpty)
      try FileManager.default.removeItem(atPath: file.path)
      try FileManager.default.createDirectory(
        atPath: file.path, withIntermediateDirectories: true)
      #expect(file.read().isEmpty)
      let memory = KernelChoiceStore(file)
      memory.remember(KernelChoice(kernel: "a", times: []), as: "x")
      memory.save()
      #expect(memory.choice("x")?.kernel == "a")
    }
  }

  @Test("If the folder cannot be created, choices last as long as the process")
  func readOnly() throws {
    let file = KernelChoiceFile(path: "/proc/atelier/kernels.txt", machine: "a processor")
    let memory = KernelChoiceStore(file)
    memory.remember(KernelChoice(kernel: "a", times: []), as: "x")
    memory.save()
    #expect(memory.choice("x")?.kernel == "a")
  }
}

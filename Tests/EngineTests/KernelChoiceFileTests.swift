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

  @Test("What is written is read again, with its folder made for it")
  func roundTrip() throws {
    try Self.withFile { file in
      #expect(file.read().isEmpty)
      try file.add(Self.choices)
      #expect(file.read() == Self.choices)
    }
  }

  @Test(
    "Two processes that write one after the other keep the choices of both, the newer of one key")
  func merged() throws {
    try Self.withFile { file in
      let (one, other) = (KernelMemory(file), KernelMemory(file))
      #expect(one.choice("x") == nil)
      #expect(other.choice("x") == nil)
      one.remember(KernelChoice(kernel: "a", times: []), as: "x")
      one.remember(KernelChoice(kernel: "a", times: []), as: "y")
      one.keep()
      other.remember(KernelChoice(kernel: "b", times: []), as: "x")
      other.remember(KernelChoice(kernel: "b", times: []), as: "z")
      other.keep()
      #expect(file.read().mapValues(\.kernel) == ["x": "b", "y": "a", "z": "b"])
      #expect(KernelMemory(file).choice("y")?.kernel == "a")
    }
  }

  @Test("A file that was cut off anywhere gives whole choices or none")
  func cutOff() throws {
    try Self.withFile { file in
      try file.add(Self.choices)
      let whole: Data = try Data(contentsOf: URL(fileURLWithPath: file.path))
      for length in 0..<whole.count {
        try whole.prefix(length).write(to: URL(fileURLWithPath: file.path))
        for (key, choice) in file.read() { #expect(Self.choices[key] == choice) }
      }
    }
  }

  @Test("A damaged file is read without harm and written anew")
  func damaged() throws {
    try Self.withFile { file in
      try file.add(Self.choices)
      let whole: Data = try Data(contentsOf: URL(fileURLWithPath: file.path))
      for position in whole.indices {
        var bytes: Data = whole
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

  @Test("A file of another machine, of another version, or a folder in its place is passed over")
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
      let memory = KernelMemory(file)
      memory.remember(KernelChoice(kernel: "a", times: []), as: "x")
      memory.keep()
      #expect(memory.choice("x")?.kernel == "a")
    }
  }

  @Test("Where the folder cannot be made, choices live as long as the process")
  func readOnly() throws {
    let file = KernelChoiceFile(path: "/proc/atelier/kernels.txt", machine: "a processor")
    let memory = KernelMemory(file)
    memory.remember(KernelChoice(kernel: "a", times: []), as: "x")
    memory.keep()
    #expect(memory.choice("x")?.kernel == "a")
  }
}

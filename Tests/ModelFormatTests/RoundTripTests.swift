import Foundation
import Testing

@testable import ModelFormat

@Suite struct RoundTripTests {
  @Test(.enabled(if: Fixtures.haveModels), arguments: Fixtures.modelPaths)
  func `Writing a model that was read gives an equal message`(path: String) throws {
    let file = try ModelFile.open(Fixtures.model(path))
    let bytes = file.model.serialized()
    #expect(try Spec.Model(serialized: ByteValues(bytes)) == file.model)
    try Fixtures.withFolder { folder in
      let copy = folder.appendingPathComponent("copy.mlmodel")
      try file.model.write(to: copy)
      #expect(try Data(contentsOf: copy) == Data(bytes))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["copy.mlmodel"])
    }
  }

  @Test func `A model that was built is equal when read back`() throws {
    let model = SampleModels.network()
    #expect(try Spec.Model(serialized: ByteValues(model.serialized())) == model)
  }

  @Test func `An ML Program is written byte for byte like protobuf`() throws {
    let model = try Spec.Model(serialized: ByteValues(SampleModels.program))
    #expect(model.serialized() == SampleModels.program)
    guard case .mlProgram(let program)? = model.type else {
      Issue.record("no program")
      return
    }
    let block = try #require(program.functions["main"]?.blockSpecializations["CoreML7"])
    #expect(block.operations.map(\.type) == ["const", "add"])
    #expect(model.description?.metadata?.userDefined == ["a": "é", "b": "2"])
  }

  @Test func `Unknown fields of every wire type are preserved in order`() throws {
    let unknown: [UInt8] = [
      0xF8, 0xFF, 0x03, 0x96, 0x01,  // field 8191, a varint
      0xF9, 0xFF, 0x03, 1, 2, 3, 4, 5, 6, 7, 8,  // field 8191, 8 bytes
      0xFA, 0xFF, 0x03, 2, 9, 9,  // field 8191, length-delimited
      0xFD, 0xFF, 0x03, 1, 2, 3, 4,  // field 8191, 4 bytes
    ]
    let bytes: [UInt8] = [0x08, 0x04] + unknown
    let model = try Spec.Model(serialized: ByteValues(bytes))
    #expect(model.unknownFields.bytes.array() == unknown)
    #expect(model.serialized() == bytes)
    let scattered: [UInt8] = [UInt8](unknown[..<5]) + [0x08, 0x04] + [UInt8](unknown[5...])
    #expect(try Spec.Model(serialized: ByteValues(scattered)) == model)
  }

  @Test func `Packed and single numbers are read equally`() throws {
    let packed = try Spec.ConvolutionLayerParams(serialized: [0xA2, 0x01, 2, 3, 5])
    let single = try Spec.ConvolutionLayerParams(serialized: [0xA0, 0x01, 3, 0xA0, 0x01, 5])
    #expect(packed.kernelSize == [3, 5])
    #expect(single == packed)
    let floats = try Spec.WeightParams(serialized: [0x0D, 0, 0, 0x80, 0x3F, 0x0A, 4, 0, 0, 0, 0x40])
    #expect(floats.floatValue == [1, 2])
  }

  @Test func `A singular message that occurs twice is merged`() throws {
    // The field weights (90) occurs twice. The first occurrence contains isUpdatable (50), and the second contains
    // float16Value (2).
    let twice: [UInt8] = [0xD2, 0x05, 3, 0x90, 0x03, 1, 0xD2, 0x05, 4, 0x12, 2, 0, 0x3C]
    let convolution = try Spec.ConvolutionLayerParams(serialized: ByteValues(twice))
    #expect(convolution.weights?.isUpdatable == true)
    #expect(convolution.weights?.float16Value == ByteValues([0, 0x3C]))
  }

  @Test func `The last member of a oneof wins, and defaults within it are written`() throws {
    var type = Spec.ArrayFeatureType()
    type.defaultOptionalValue = .intDefaultValue(0)
    let bytes = type.serialized()
    #expect(bytes.isEmpty == false)
    #expect(try Spec.ArrayFeatureType(serialized: ByteValues(bytes)) == type)
    var other = Spec.ArrayFeatureType()
    other.defaultOptionalValue = .floatDefaultValue(2)
    let both = ByteValues(bytes + other.serialized())
    #expect(try Spec.ArrayFeatureType(serialized: both) == other)
  }

  @Test func `Unknown enumeration values are preserved`() throws {
    var pooling = Spec.PoolingLayerParams()
    pooling.type = .unrecognized(77)
    #expect(
      try Spec.PoolingLayerParams(serialized: ByteValues(pooling.serialized())).type
        == .unrecognized(77))
    #expect(Spec.PoolingLayerParams.PoolingType(rawValue: 1) == .average)
  }

  @Test func `A model may overwrite the file from which its weights are mapped`() throws {
    try Fixtures.withFolder { folder in
      let url = folder.appendingPathComponent("m.mlmodel")
      try SampleModels.network().write(to: url)
      let file = try ModelFile.open(url)
      try file.model.write(to: url)
      #expect(try ModelFile.open(url).model == file.model)
    }
  }
}

extension ByteValues: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: UInt8...) {
    self.init(elements)
  }
}

import Engine
import Operators
import Testing

/// Tests kernels of layers that only move values. Also tests when these kernels avoid a copy, and which layout they
/// preserve.
@Suite("Layers that move values")
struct ShapingKernelTests {
  @Test("A transpose of channels-last planes to pixels is a view")
  func transposeOfInterleavedIsAView() throws {
    let kernel = try #require(
      try kernel(
        TransposeOperator(axes: [0, 2, 3, 1]),
        TensorDescriptor([1, 3, 5, 7], .float32, .channelsLast))
    )
    #expect(kernel.aliasedInput == 0)
    #expect(kernel.outputs == [TensorDescriptor([1, 5, 7, 3])])
  }

  @Test("A transpose of pixels to planes is a view in the channels-last layout")
  func transposeToInterleavedIsAView() throws {
    let kernel = try #require(
      try kernel(TransposeOperator(axes: [0, 3, 1, 2]), TensorDescriptor([1, 5, 7, 3])))
    #expect(kernel.aliasedInput == 0)
    #expect(kernel.outputs == [TensorDescriptor([1, 3, 5, 7], .float32, .channelsLast)])
  }

  @Test(
    "Crops, padding and upsampling preserve the layout and type of their input",
    arguments: [Layout.dense, .channelsLast])
  func layoutIsPreserved(layout: Layout) throws {
    let input = TensorDescriptor([1, 8, 6, 10], .bfloat16, layout)
    let layers: [any Operator] = [
      CropOperator(amounts: EdgeAmounts(top: 1, bottom: 1, left: 1, right: 1)),
      PaddingOperator(
        amounts: EdgeAmounts(top: 2, bottom: 2, left: 2, right: 2), mode: .reflection),
      UpsampleOperator(heightFactor: 2, widthFactor: 2),
      UpsampleOperator(heightFactor: 2, widthFactor: 2, mode: .bilinear(.upsample)),
    ]
    for layer in layers {
      let kernel = try #require(try kernel(layer, input))
      #expect(kernel.inputs == [input])
      #expect(kernel.outputs.map(\.layout) == [layout])
      #expect(kernel.outputs.map(\.storage) == [.bfloat16])
    }
  }

  @Test("Flattening a channels-last image pixel by pixel is a view")
  func flattenOfInterleavedIsAView() throws {
    let input = TensorDescriptor([1, 16, 7, 7], .float32, .channelsLast)
    let kernel = try #require(try kernel(FlattenOperator(order: .channelLast), input))
    #expect(kernel.aliasedInput == 0)
    #expect(kernel.inputs == [input])
  }

  @Test("A crop by 0 pixels is a view")
  func emptyCropIsAView() throws {
    let kernel = try #require(
      try kernel(CropOperator(amounts: EdgeAmounts()), TensorDescriptor([1, 3, 5, 7])))
    #expect(kernel.aliasedInput == 0)
  }

  @Test("Slices match Python's for every short range", arguments: [-3, -2, -1, 1, 2, 3])
  func slicesEqualPython(stride: Int) throws {
    let values = ReferenceTensor([5], [0, 1, 2, 3, 4])
    let bounds: [Int?] = [nil] + (-7...7).map { $0 }
    for begin in bounds {
      for end in bounds {
        let layer = SliceStaticOperator(slices: [AxisSlice(begin: begin, end: end, stride: stride)])
        let sliced = try layer.reference([values])[0].values
        #expect(
          sliced == pythonSlice(5, begin, end, stride), "[\(begin as Any):\(end as Any):\(stride)]")
      }
    }
  }

  /// Slices in a loop by Python's rule. Starts at the first bound, and steps until the index reaches or passes the end.
  private func pythonSlice(_ count: Int, _ begin: Int?, _ end: Int?, _ stride: Int) -> [Double] {
    func moved(_ bound: Int) -> Int { bound < 0 ? bound + count : bound }
    var index: Int
    if let begin {
      index = moved(begin)
      if stride > 0, index < 0 { index = 0 }
      if stride < 0, index >= count { index = count - 1 }
    } else {
      index = stride > 0 ? 0 : count - 1
    }
    var result: [Double] = []
    while index >= 0, index < count {
      if let end {
        let last = moved(end)
        if stride > 0 ? index >= last : index <= last { break }
      }
      result.append(Double(index))
      index += stride
    }
    return result
  }

  private func kernel(_ layer: any Operator, _ input: TensorDescriptor) throws -> Kernel? {
    let types = try #require(
      try layer.outputTypes(for: [OperatorInput(TensorType(input.shape))]))
    let request = KernelRequest(
      name: "test", inputs: [input], outputs: types, precision: .bfloat16, threads: 2)
    for candidate in layer.candidates {
      if let kernel = try candidate.make(request) { return kernel }
    }
    return nil
  }
}

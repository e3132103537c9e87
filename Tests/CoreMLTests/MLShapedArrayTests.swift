import CoreML
import Testing

/// A simple reference tensor in row-major order: numbers and a shape.
private struct Naive {
  var shape: [Int]
  var numbers: [Double]

  init(_ shape: [Int]) {
    self.shape = shape
    numbers = (0..<shape.reduce(1, *)).map { Double($0) }
  }

  init(_ shape: [Int], _ numbers: [Double]) {
    self.shape = shape
    self.numbers = numbers
  }

  func number(_ index: [Int]) -> Double {
    var position = 0
    for (axis, i) in index.enumerated() { position = position * shape[axis] + i }
    return numbers[position]
  }

  func part(_ ranges: [Range<Int>]) -> Naive {
    let all = ranges + shape.dropFirst(ranges.count).map { 0..<$0 }
    var result: [Double] = []
    visit(all, []) { result.append(number($0)) }
    return Naive(all.map(\.count), result)
  }

  func transposed(_ axes: [Int]) -> Naive {
    let newShape = axes.map { shape[$0] }
    var result: [Double] = []
    visit(newShape.map { 0..<$0 }, []) { index in
      var old = index
      for (axis, i) in zip(axes, index) { old[axis] = i }
      result.append(number(old))
    }
    return Naive(newShape, result)
  }

  private func visit(_ ranges: [Range<Int>], _ prefix: [Int], _ body: ([Int]) -> Void) {
    if prefix.count == ranges.count { return body(prefix) }
    for i in ranges[prefix.count] { visit(ranges, prefix + [i], body) }
  }
}

@Suite("MLShapedArray")
struct MLShapedArrayTests {
  @Test(
    "Slices by ranges match a naive slice",
    arguments: [
      [0..<2], [1..<2, 0..<3], [0..<2, 1..<3, 2..<4], [1..<1], [0..<2, 2..<3, 0..<1],
    ] as [[Range<Int>]])
  func ranges(ranges: [Range<Int>]) {
    let naive = Naive([2, 3, 4])
    let array = MLShapedArray<Double>(scalars: naive.numbers, shape: naive.shape)
    let part = array[ranges]
    #expect(part.shape == naive.part(ranges).shape)
    #expect(part.scalars == naive.part(ranges).numbers)
  }

  @Test(
    "Transposing and then slicing matches the naive reference",
    arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]])
  func transposed(axes: [Int]) {
    let naive = Naive([2, 3, 4])
    let array = MLShapedArray<Double>(scalars: naive.numbers, shape: naive.shape)
    let transposed = array.transposed(permutation: axes)
    #expect(transposed.scalars == naive.transposed(axes).numbers)
    #expect(
      transposed[1..<2, 0..<2].scalars == naive.transposed(axes).part([1..<2, 0..<2]).numbers)
    #expect(transposed.reshaped(to: [24]).scalars == naive.transposed(axes).numbers)
  }

  @Test("Indices drop axes; a collection's elements are slices of the first axis")
  func indices() {
    let array: MLShapedArray<Int32> = [[1, 2, 3], [4, 5, 6]]
    #expect(array.shape == [2, 3])
    #expect(array.count == 2)
    #expect(array[1].scalars == [4, 5, 6])
    #expect(array[1, 2].scalar == 6)
    #expect(array[[0, 1]].scalar == 2)
    #expect(array[scalarAt: 1, 0] == 4)
    #expect(array.map { $0.scalars.reduce(0, +) } == [6, 15])
    #expect(array[0..<1].shape == [1, 3])
    #expect(array[0..., 1...].scalars == [2, 3, 5, 6])
    #expect(array[0...1, ...0].scalars == [1, 4])
  }

  @Test("A copy does not change with its original")
  func valueSemantics() {
    var array = MLShapedArray<Float>(repeating: 1, shape: [2, 2])
    let copy = array
    let slice = array[0]
    array[scalarAt: 0, 0] = 5
    array[1].fill(with: 7)
    #expect(copy.scalars == [1, 1, 1, 1])
    #expect(slice.scalars == [1, 1])
    #expect(array.scalars == [5, 1, 7, 7])
  }

  @Test("Assigned slices, also of the array itself, write the right elements")
  func assignment() {
    var array = MLShapedArray<Double>(scalars: [1, 2, 3, 4, 5, 6], shape: [2, 3])
    array[0] = array[1]
    #expect(array.scalars == [4, 5, 6, 4, 5, 6])
    array[0..<2, 1..<2] = MLShapedArraySlice(scalars: [8, 9], shape: [2, 1])
    #expect(array.scalars == [4, 8, 6, 4, 9, 6])
    array[1, 2] = MLShapedArraySlice(scalar: 0)
    #expect(array[scalarAt: [1, 2]] == 0)
  }

  @Test("All initialisers give the documented numbers")
  func making() {
    #expect(
      MLShapedArray<Int32>(identityMatrixOfSize: 3).scalars == [1, 0, 0, 0, 1, 0, 0, 0, 1])
    let random = MLShapedArray<Float>(randomScalarsIn: 2..<3, shape: [50])
    #expect(random.scalars.allSatisfy { $0 >= 2 && $0 < 3 })
    let made = MLShapedArray<Double>(unsafeUninitializedShape: [2, 2]) { pointer, strides in
      #expect(strides == [2, 1])
      _ = pointer.initialize(from: [1, 2, 3, 4])
    }
    #expect(made.scalars == [1, 2, 3, 4])
    let data = [Float(1), 2, 3, 4].withUnsafeBytes { Data($0) }
    #expect(
      MLShapedArray<Float>(data: data, shape: [2, 2], strides: [1, 2]).scalars == [1, 3, 2, 4])
    let parts = [
      MLShapedArray<Float>(scalars: [1, 2], shape: [1, 2])[0...], made.converted[0...],
    ]
    #expect(
      MLShapedArray(concatenating: parts, alongAxis: 0).scalars == [1, 2, 1, 2, 3, 4])
    let halves = MLShapedArray<Double>(scalars: [1.7, -2.7], shape: [2])
    #expect(MLShapedArray<Int32>(converting: halves).scalars == [1, -2])
  }

  @Test("Borrowed memory is not written to")
  func lentMemory() {
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2)
    memory.initialize(repeating: 1, count: 2)
    nonisolated(unsafe) var released = 0
    do {
      var array = MLShapedArray<Float>(
        bytesNoCopy: memory, shape: [2], deallocator: .custom { _, _ in released += 1 })
      array[scalarAt: 0] = 9
      #expect(array.scalars == [9, 1])
    }
    #expect(memory[0] == 1)
    #expect(released == 1)
    memory.deallocate()
  }

  @Test("Layouts change the memory order and not the numbers")
  func layouts() {
    var array = MLShapedArray<Double>(scalars: [1, 2, 3, 4, 5, 6], shape: [2, 3])
    let transposed = array.changingLayout(to: .lastMajorContiguous)
    #expect(transposed.strides == [1, 2])
    #expect(transposed == array)
    transposed.withUnsafeShapedBufferPointer { pointer, _, _ in
      #expect(Array(pointer) == [1, 4, 2, 5, 3, 6])
    }
    array.withUnsafeMutableShapedBufferPointer(using: .lastMajorContiguous) { pointer, _, strides in
      #expect(strides == [1, 2])
      pointer[1] = 40
    }
    #expect(array.scalars == [1, 2, 3, 40, 5, 6])
    #expect(array.expandingShape(at: 1).shape == [2, 1, 3])
    #expect(array.expandingShape(at: 1).squeezingShape() == array)
  }

  @Test("Multi-arrays and shaped arrays convert into each other")
  func conversion() throws {
    let multiArray = try MLMultiArray(shape: [2, 2], dataType: .float16)
    for index in 0..<4 { multiArray[index] = NSNumber(value: index) }
    let shaped = MLShapedArray<Float16>(multiArray)
    #expect(shaped.scalars == [0, 1, 2, 3])
    #expect(MLMultiArray(shaped[1]).shape == [2])
    #expect(MLMultiArray(shaped.transposed())[1].intValue == 2)
    #expect(MLShapedArray<Int32>(converting: multiArray).scalars == [0, 1, 2, 3])
    let value = MLFeatureValue(shapedArray: shaped)
    #expect(value.shapedArrayValue(of: Float16.self) == shaped)
    #expect(value.shapedArrayValue(of: Float.self) == nil)
  }
}

extension MLShapedArray where Scalar == Double {
  fileprivate var converted: MLShapedArray<Float> { MLShapedArray<Float>(converting: self) }
}

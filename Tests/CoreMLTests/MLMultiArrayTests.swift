import CoreML
import Testing

@Suite("MLMultiArray")
struct MLMultiArrayTests {
  @Test(
    "A new array of every type is zero and has row-major strides",
    arguments: [MLMultiArrayDataType.double, .float32, .float16, .int32, .int8])
  func zeros(type: MLMultiArrayDataType) throws {
    let array = try MLMultiArray(shape: [2, 3, 4], dataType: type)
    #expect(array.count == 24)
    #expect(array.shape == [2, 3, 4])
    #expect(array.strides == [12, 4, 1])
    #expect((0..<24).allSatisfy { array[$0] == 0 })
  }

  @Test(
    "Numbers can be read back as written, by index and by key",
    arguments: [MLMultiArrayDataType.double, .float32, .float16, .int32, .int8])
  func elements(type: MLMultiArrayDataType) throws {
    let array = try MLMultiArray(shape: [2, 3], dataType: type)
    for index in 0..<6 { array[index] = NSNumber(value: index * 10) }
    #expect(array[[1, 2] as [NSNumber]].intValue == 50)
    #expect(array[[0, 1]].intValue == 10)
    array[[1, 0] as [NSNumber]] = -7
    #expect(array[3].intValue == -7)
  }

  @Test("A strided array over the caller's memory uses the strides")
  func strided() throws {
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 24)
    for index in 0..<24 { memory[index] = Float(index) }
    nonisolated(unsafe) var released = 0
    do {
      let array = try MLMultiArray(
        dataPointer: memory, shape: [2, 3], dataType: .float32, strides: [12, 2]
      ) { _ in released += 1 }
      #expect((0..<6).map { array[$0].intValue } == [0, 2, 4, 12, 14, 16])
      #expect(array[[1, 1]].intValue == 14)
      array[5] = 99
      #expect(memory[16] == 99)
    }
    #expect(released == 1)
    memory.deallocate()
  }

  @Test("Invalid shapes and strides throw an error with a message")
  func badShapes() throws {
    let negative = sentence { _ = try MLMultiArray(shape: [2, -1], dataType: .double) }
    #expect(
      negative
        == "A multi-array cannot have the shape 2 × -1: every dimension must be 0 or more and the "
        + "array must fit in memory.")
    let huge = sentence {
      _ = try MLMultiArray(shape: [1_099_511_627_776, 1_099_511_627_776], dataType: .double)
    }
    #expect(huge?.contains("must fit in memory") == true)
    // The first array would take 8 TB, which no machine has. The second array is empty, but its strides would overflow.
    let wide = sentence { _ = try MLMultiArray(shape: [1_099_511_627_776], dataType: .double) }
    #expect(wide?.contains("does not fit into the free memory") == true)
    let empty = sentence {
      _ = try MLMultiArray(
        shape: [0, 1_099_511_627_776, 1_099_511_627_776], dataType: .double)
    }
    #expect(empty?.contains("must fit in memory") == true)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    defer { memory.deallocate() }
    let strides = sentence {
      _ = try MLMultiArray(
        dataPointer: memory, shape: [1, 1], dataType: .double, strides: [1], deallocator: nil)
    }
    #expect(
      strides
        == "A multi-array of shape 1 × 1 needs 2 strides of 0 or more, but the strides are 1.")
  }

  @Test("Collections become one-dimensional arrays of a suitable type")
  func collections() throws {
    #expect(try MLMultiArray([1, 2, 3]).dataType == .int32)
    #expect(try MLMultiArray([1.5, 2]).dataType == .double)
    #expect(try MLMultiArray([Float(1.5)]).dataType == .float32)
    #expect(
      sentence { _ = try MLMultiArray([1 << 40]) }
        == "Element 0 is 1099511627776, which an int32 multi-array cannot hold.")
  }

  @Test("Concatenation along an axis joins arrays in order and converts them", arguments: [0, 1])
  func joining(axis: Int) throws {
    let left = try MLMultiArray(shape: [2, 2], dataType: .int32)
    let right = try MLMultiArray(shape: [2, 2], dataType: .double)
    for index in 0..<4 {
      left[index] = NSNumber(value: index)
      right[index] = NSNumber(value: 10 + index)
    }
    let joined = MLMultiArray(
      byConcatenatingMultiArrays: [left, right], alongAxis: axis, dataType: .float32)
    let numbers = (0..<8).map { joined[$0].intValue }
    #expect(
      numbers == (axis == 0 ? [0, 1, 2, 3, 10, 11, 12, 13] : [0, 1, 10, 11, 2, 3, 12, 13]))
    #expect(joined.dataType == .float32)
  }

  @Test("Transfer converts types and strides; conversion to integers truncates")
  func transfer() throws {
    let source = try MLMultiArray([1.9, -1.9, 300, 1e20])
    let target = MLMultiArray(shape: [4], dataType: .int8, strides: [3])
    source.transfer(to: target)
    #expect((0..<4).map { target[$0].intValue } == [1, -1, 127, 127])
  }

  @Test("Arrays are equal if type, shape and numbers are, for any strides")
  func equality() throws {
    let dense = try MLMultiArray([Float(1), 2])
    let spread = MLMultiArray(shape: [2], dataType: .float32, strides: [5])
    dense.transfer(to: spread)
    #expect(dense == spread)
    spread[1] = 3
    #expect(dense != spread)
  }

  @Test("An array over a half-float pixel buffer shares its memory, including row padding")
  func overPixelBuffer() throws {
    var created: CVPixelBuffer?
    _ = CVPixelBufferCreate(nil, 5, 4, kCVPixelFormatType_OneComponent16Half, nil, &created)
    let buffer = created!
    let array = MLMultiArray(pixelBuffer: buffer, shape: [2, 2, 5])
    array[[1, 0, 3]] = 2.5
    let row = CVPixelBufferGetBaseAddress(buffer)! + 2 * CVPixelBufferGetBytesPerRow(buffer)
    #expect(row.assumingMemoryBound(to: Float16.self)[3] == 2.5)
    #expect(array.pixelBuffer === buffer)
    #expect(array.strides[0].intValue == CVPixelBufferGetBytesPerRow(buffer))
  }

  @Test("Pointers give typed access to the memory")
  func pointers() throws {
    let array = try MLMultiArray([Float(3), 4])
    array.withUnsafeMutableBufferPointer(ofType: Float.self) { pointer, strides in
      #expect(strides == [1])
      pointer[0] = 9
    }
    #expect(array.withUnsafeBufferPointer(ofType: Float.self) { Array($0) } == [9, 4])
    #expect(array.withUnsafeBytes { $0.count } == 8)
    #expect(array.dataPointer.assumingMemoryBound(to: Float.self)[1] == 4)
  }

  @Test(
    "Buffer pointers of an array read and write its memory, and another type throws one sentence")
  func bufferPointers() throws {
    let array = try MLMultiArray([1.5, 2.5, 3.5] as [Double])
    let pointer = try UnsafeMutableBufferPointer<Double>(array)
    #expect(Array(pointer) == [1.5, 2.5, 3.5])
    pointer.initialize(repeating: 7)
    #expect(try Array(UnsafeBufferPointer<Double>(array)) == [7, 7, 7])
    let problem = sentence { _ = try UnsafeMutableBufferPointer<Float>(array) }
    #expect(problem == "The elements of this multi-array are double, not Float.")
    #expect(throws: MLModelError.self) { _ = try UnsafeBufferPointer<String>(array) }
  }

  @Test("An array without a shape has no elements")
  func withoutShape() {
    let array = MLMultiArray()
    #expect(array.count == 0 && array.shape == [0])
  }

  @Test("Code that asks for an SDK with states finds it")
  func submodule() {
    #if canImport(CoreML.MLState)
      let isThere = true
    #else
      let isThere = false
    #endif
    #expect(isThere)
  }
}

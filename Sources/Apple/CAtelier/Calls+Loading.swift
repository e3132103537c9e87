import CAtelierHeader
import CoreML
import Foundation
import ModelFormat

// The functions that the header atelier.h declares and documents. Each function converts its arguments from C, calls
// the framework, and converts the result to C.

@c @implementation
public func atelier_interface_version() -> Int32 { Int32(ATELIER_INTERFACE_VERSION) }

@c @implementation
public func atelier_newest_specification_version() -> Int32 {
  ModelFile.newestSpecificationVersion
}

@c @implementation
public func atelier_free(_ text: UnsafeMutablePointer<CChar>?) { free(text) }

@c @implementation
public func atelier_model_load(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<atelier_options>?,
  _ model: UnsafeMutablePointer<OpaquePointer?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let target = try nonNull(model, "model")
    let url = URL(fileURLWithPath: String(cString: try nonNull(path, "path")))
    let configuration = try MLModelConfiguration(options)
    let loaded = try MLModel(contentsOf: url, configuration: configuration)
    target.pointee = handle(LoadedModel(loaded))
  }
}

@c @implementation
public func atelier_model_load_memory(
  _ bytes: UnsafeRawPointer?, _ count: Int64, _ blobs: UnsafePointer<atelier_blob>?,
  _ blob_count: Int64, _ options: UnsafePointer<atelier_options>?,
  _ model: UnsafeMutablePointer<OpaquePointer?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let target = try nonNull(model, "model")
    // Safe: the caller promises `count` bytes at each address.
    let specification = Data(bytes: try nonNull(bytes, "bytes"), count: try length(count, "count"))
    var mapping: [URL: Data] = [:]
    for index in 0..<(try length(blob_count, "blob_count")) {
      let blob: atelier_blob = try nonNull(blobs, "blobs")[index]
      let name = URL(
        fileURLWithPath: String(cString: try nonNull(blob.name, "blobs[\(index)].name")))
      mapping[name] = Data(
        bytes: try nonNull(blob.bytes, "blobs[\(index)].bytes"),
        count: try length(blob.count, "blobs[\(index)].count"))
    }
    let asset = try MLModelAsset(specification: specification, blobMapping: mapping)
    let loaded = try MLModel(asset, configuration: try MLModelConfiguration(options))
    target.pointee = handle(LoadedModel(loaded))
  }
}

@c @implementation
public func atelier_model_release(_ model: OpaquePointer?) { release(model, LoadedModel.self) }

@c @implementation
public func atelier_model_describe(
  _ model: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let target = try nonNull(json, "json")
    let loaded: LoadedModel = object(of: try nonNull(model, "model"))
    target.pointee = strdup(try describeAsJSON(loaded.model.modelDescription))
  }
}

@c @implementation
public func atelier_model_compile(
  _ path: UnsafePointer<CChar>?, _ folder: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let target = try nonNull(folder, "folder")
    let url = URL(fileURLWithPath: String(cString: try nonNull(path, "path")))
    target.pointee = strdup(try MLModel.compileModel(at: url).path)
  }
}

extension MLModelConfiguration {
  convenience init(_ options: UnsafePointer<atelier_options>?) throws {
    self.init()
    guard let options: atelier_options = options?.pointee else { return }
    guard let units = MLComputeUnits(rawValue: Int(options.compute_units)) else {
      throw CallError(
        "compute_units is \(options.compute_units), expected ATELIER_CPU_ONLY (0) to "
          + "ATELIER_CPU_AND_NEURAL_ENGINE (3).")
    }
    computeUnits = units
    if options.thread_count > 0 { threadCount = Int(options.thread_count) }
    if options.memory_limit > 0 { memoryLimit = Int(options.memory_limit) }
    allowsAnyInputSize = options.allows_any_size != 0
    usesDynamicQuantization = options.quantizes_inputs != 0
    widensFloat16Outputs = options.widens_outputs != 0
    if let name = options.function_name { functionName = String(cString: name) }
  }
}

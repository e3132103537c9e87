import CAtelierHeader
import CoreML

/// The content of an `atelier_state`.
final class LoadedState {
  let state: MLState

  init(of model: LoadedModel) throws {
    state = model.model.makeState()
    try state.check()
  }

  /// Throws if the model has no state with the given name.
  func requireState(_ name: String) throws {
    guard !state.stateNames.contains(name) else { return }
    throw CallError("The model has no state named '\(name)'.")
  }
}

@c @implementation
public func atelier_state_make(
  _ model: OpaquePointer?, _ state: UnsafeMutablePointer<OpaquePointer?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let target = try nonNull(state, "state")
    target.pointee = handle(try LoadedState(of: object(of: try nonNull(model, "model"))))
  }
}

@c @implementation
public func atelier_state_release(_ state: OpaquePointer?) { release(state, LoadedState.self) }

@c @implementation
public func atelier_predict_with_state(
  _ model: OpaquePointer?, _ state: OpaquePointer?, _ inputs: UnsafePointer<atelier_feature>?,
  _ input_count: Int64, _ results: UnsafeMutablePointer<OpaquePointer?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let target = try nonNull(results, "results")
    let loaded: LoadedModel = object(of: try nonNull(model, "model"))
    let memory: LoadedState = object(of: try nonNull(state, "state"))
    target.pointee = handle(
      try loaded.predict(Inputs(inputs, count: input_count), using: memory.state))
  }
}

@c @implementation
public func atelier_state_read(
  _ state: OpaquePointer?, _ name: UnsafePointer<CChar>?,
  _ results: UnsafeMutablePointer<OpaquePointer?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let target = try nonNull(results, "results")
    let memory: LoadedState = object(of: try nonNull(state, "state"))
    let name = String(cString: try nonNull(name, "name"))
    try memory.requireState(name)
    let copy: MLMultiArray = try memory.state.withMultiArray(for: name) { try $0.duplicate() }
    let made = Results(capacity: 1)
    made.append(MLFeatureValue(multiArray: copy), named: name)
    target.pointee = handle(made)
  }
}

@c @implementation
public func atelier_state_write(
  _ state: OpaquePointer?, _ value: UnsafePointer<atelier_feature>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let memory: LoadedState = object(of: try nonNull(state, "state"))
    let feature: atelier_feature = try nonNull(value, "value").pointee
    let name = String(cString: try nonNull(feature.name, "The name of the value"))
    try memory.requireState(name)
    let new: MLMultiArray = try array(of: feature, name)
    try memory.state.withMultiArray(for: name) { (array: MLMultiArray) -> Void in
      guard array.shape == new.shape else {
        throw CallError(
          "The state '\(name)' has the shape \(array.shape), but the value has \(new.shape).")
      }
      new.transfer(to: array)
    }
  }
}

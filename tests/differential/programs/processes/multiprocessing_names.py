import multiprocessing

print(multiprocessing.current_process().name, multiprocessing.parent_process())
print(multiprocessing.get_start_method(), multiprocessing.get_all_start_methods())

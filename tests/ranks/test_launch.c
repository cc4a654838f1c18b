/* test_launch.c: how a process was started, by what the environment says. */
#include "check.h"
#include "ranks/launch.h"

/* The environment: NAME, VALUE, …, NULL. The harness has one test at a time. */
static const char *const *environment;

static char *get(const char *name) {
  for (const char *const *e = environment; *e != NULL; e += 2)
    if (strcmp(e[0], name) == 0) return (char *)(size_t)e[1];
  return NULL;
}

static brink_launch find(const char *const *names) {
  environment = names;
  return brink_launch_find(get);
}

#define FIND(...) find((const char *const[]){__VA_ARGS__, NULL})

TEST(a_process_without_these_variables_is_alone) {
  brink_launch launch = FIND("HOME", "/");
  CHECK(launch.by == NULL);
  CHECK_INT(launch.count, 1);
}

TEST(mpirun_of_open_mpi_gives_rank_and_count) {
  brink_launch launch =
      FIND("OMPI_COMM_WORLD_RANK", "2", "OMPI_COMM_WORLD_SIZE", "4", "PMIX_RANK", "2");
  CHECK(launch.by != NULL && strcmp(launch.by, "mpirun") == 0);
  CHECK(launch.mpi);
  CHECK_INT(launch.rank, 2);
  CHECK_INT(launch.count, 4);
}

TEST(one_rank_is_alone) {
  CHECK(FIND("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "1", "PMIX_RANK", "0").by ==
        NULL);
  CHECK(FIND("SLURM_PROCID", "0", "SLURM_STEP_NUM_TASKS", "1").by == NULL);
}

TEST(mpirun_of_mpich_gives_rank_and_count) {
  brink_launch launch = FIND("PMI_RANK", "0", "PMI_SIZE", "3");
  CHECK(launch.mpi);
  CHECK_INT(launch.count, 3);
}

TEST(srun_has_mpi_only_with_pmix) {
  brink_launch with =
      FIND("PMIX_RANK", "1", "SLURM_PROCID", "1", "SLURM_STEP_NUM_TASKS", "8", "SLURM_NTASKS", "8");
  CHECK(with.by != NULL && strcmp(with.by, "srun") == 0);
  CHECK(with.mpi);
  CHECK_INT(with.count, 8);
  brink_launch without = FIND("SLURM_PROCID", "7", "SLURM_STEP_NUM_TASKS", "8");
  CHECK(without.by != NULL && !without.mpi);
  CHECK_INT(without.rank, 7);
  CHECK_INT(without.count, 8);
}

TEST(mpirun_inside_a_job_of_slurm_counts) {
  brink_launch launch = FIND("SLURM_PROCID", "0", "SLURM_STEP_NUM_TASKS", "2",
                             "OMPI_COMM_WORLD_RANK", "5", "OMPI_COMM_WORLD_SIZE", "6");
  CHECK_INT(launch.rank, 5);
  CHECK_INT(launch.count, 6);
}

TEST(a_batch_script_is_alone) {
  CHECK(FIND("SLURM_PROCID", "0", "SLURM_NTASKS", "8", "SLURM_ARRAY_TASK_ID", "3").by == NULL);
}

TEST(others_that_know_pmix_do_not_say_how_many_there_are) {
  brink_launch launch = FIND("PMIX_RANK", "0");
  CHECK(launch.by != NULL && launch.mpi);
  CHECK_INT(launch.count, 0);
}

TEST(words_that_are_no_numbers_are_not_believed) {
  CHECK(FIND("OMPI_COMM_WORLD_RANK", "-1", "OMPI_COMM_WORLD_SIZE", "4").by == NULL);
  CHECK(FIND("OMPI_COMM_WORLD_RANK", "two", "OMPI_COMM_WORLD_SIZE", "4").by == NULL);
  CHECK(FIND("SLURM_PROCID", "1", "SLURM_STEP_NUM_TASKS", "8x").by == NULL);
  CHECK(FIND("SLURM_PROCID", "1", "SLURM_STEP_NUM_TASKS", "99999999999999999999").by == NULL);
}

int main(void) {
  RUN(a_process_without_these_variables_is_alone);
  RUN(mpirun_of_open_mpi_gives_rank_and_count);
  RUN(one_rank_is_alone);
  RUN(mpirun_of_mpich_gives_rank_and_count);
  RUN(srun_has_mpi_only_with_pmix);
  RUN(mpirun_inside_a_job_of_slurm_counts);
  RUN(a_batch_script_is_alone);
  RUN(others_that_know_pmix_do_not_say_how_many_there_are);
  RUN(words_that_are_no_numbers_are_not_believed);
  return check_done();
}
